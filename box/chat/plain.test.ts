import * as fc from "fast-check";
import { expect, test } from "vitest";
import { plain } from "./plain.ts";

test.each([
  ["**Bold** and `code` and ~~gone~~ and *stressed*.", "Bold and code and gone and stressed."],
  ["__Both__ and _one_ of my_file_name.txt.", "Both and one of my_file_name.txt."],
  ["## A heading", "A heading"],
  ["- an item", "an item"],
  ["* an item", "an item"],
  ["> said - he", "said - he"],
  ["1. first", "1. first"],
  ["#1 and C# and 5 * 3 = 15", "#1 and C# and 5 * 3 = 15"],
  ["See [the docs](https://example.org/a) now", "See the docs now"],
  ["Great 😀 news 👩‍👩‍👧🏽 here 🇮🇳!", "Great news here !"],
  ["Well 🙂.", "Well."],
  ["Press 1️⃣ ❤️ ©", "Press 1 ©"],
  ["*laughs softly* Hello there.", "Hello there."],
  ["Hello *smiles* there *really*.", "Hello there really."],
  ["*Sonríe* Hola.", "Hola."],
  ["**", ""],
  ["😀", ""],
  ["नमस्ते क्‍ष", "नमस्ते क्‍ष"],
  ["こんにちは。", "こんにちは。"],
  ["« Oui ! »", "« Oui ! »"],
  ["It's a-b_c", "It's a-b_c"],
])("%s", (text, words) => {
  expect(plain(text)).toBe(words);
});

test("letters are never lost outside stage directions and addresses, and nothing is made up", () => {
  const scrap = fc.constantFrom(
    "*",
    "**",
    "_",
    "`",
    "#",
    "- ",
    " ",
    "word",
    "é",
    "🙂",
    "はい",
    ".",
    "\n",
    "[",
    "]",
    "(",
    ")",
  );
  const letters = (text: string) => text.replace(/[^\p{L}\p{N}]/gu, "");
  fc.assert(
    fc.property(fc.array(scrap, { maxLength: 40 }), (parts) => {
      const text = parts.join("");
      fc.pre(!/\]\(/.test(text));
      expect(letters(plain(text))).toBe(letters(text));
      expect(plain(text)).not.toMatch(/\*\*|`|🙂|^\s|\s$|\s\s/u);
    }),
  );
});
