import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ToneParser, type TonedText } from "./tones.ts";

function parse(pieces: string[]): TonedText[] {
  const parser = new ToneParser();
  const said = [...pieces.flatMap((piece) => parser.push(piece)), ...parser.flush()];
  // Pieces of one tone belong together, wherever the stream was cut.
  const joined: TonedText[] = [];
  for (const { text, tone } of said) {
    const last = joined.at(-1);
    if (last?.tone === tone) last.text += text;
    else joined.push({ text, tone });
  }
  return joined;
}

test("a tag is the tone of what follows it, until the next one", () => {
  expect(parse(["Hm. [warm] Hello. [sad] Goodbye."])).toEqual([
    { text: "Hm. ", tone: "neutral" },
    { text: " Hello. ", tone: "warm" },
    { text: " Goodbye.", tone: "sad" },
  ]);
});

test.each([
  ["no tag", "Hello.", "Hello.", "neutral"],
  ["capitals and space", "[ Happy ]Hi.", "Hi.", "happy"],
  ["a stage direction", "Hi [laughs softly] there.", "Hi  there.", "neutral"],
  ["wide brackets", "【warm】やあ。", "やあ。", "warm"],
  ["full-width brackets and letters", "［ＨＡＰＰＹ］やあ。", "やあ。", "happy"],
  ["a named tone", "[tone: sad] Oh.", " Oh.", "sad"],
  ["two tones", "[warm, curious] Hm?", " Hm?", "warm"],
  ["a tone and words that are none", "[happy, 3] Hm.", "[happy, 3] Hm.", "neutral"],
  ["a direction in Japanese", "やあ[笑]。", "やあ。", "neutral"],
  ["a heading in wide brackets", "【重要】聞いて。", "【重要】聞いて。", "neutral"],
  ["a direction in wide brackets", "【laughs】やあ。", "やあ。", "neutral"],
  ["a link", "See [the docs](https://x.org) now.", "See [the docs](https://x.org) now.", "neutral"],
  ["a direction at the end", "Bye. [waves]", "Bye. ", "neutral"],
  ["brackets of two kinds", "[warm】 a]b", "[warm】 a]b", "neutral"],
  ["a tag in a word", "won[sad]derful", "wonderful", "sad"],
  ["a number in brackets", "See [1].", "See [1].", "neutral"],
  ["a tag in a bracket", "[[sad] Oh.", "[ Oh.", "sad"],
  [
    "a bracket that never closes",
    "A [very long aside that goes on and on",
    "A [very long aside that goes on and on",
    "neutral",
  ],
  ["a bracket and a new line", "A [b\nc] d", "A [b\nc] d", "neutral"],
  ["an unfinished tag", "Hello. [wa", "Hello. ", "neutral"],
  ["an unfinished something", "Hello [2", "Hello [2", "neutral"],
])("%s", (_, reply, text, tone) => {
  const said = parse([reply]);
  expect(said.map((piece) => piece.text).join("")).toBe(text);
  expect(said.at(-1)?.tone).toBe(tone);
});

test("where the stream is cut changes nothing", () => {
  const words = fc.constantFrom(
    "[warm]",
    "[sad",
    "]",
    "[",
    "Hello. ",
    "[laughs]",
    "[1]",
    "【warm】",
    "［",
    "】",
    "(",
    "[a](b)",
    "\n",
    "é",
    "🙂",
  );
  fc.assert(
    fc.property(fc.array(words, { maxLength: 20 }), fc.array(fc.nat(9), { maxLength: 30 }), (parts, cuts) => {
      const whole = parts.join("");
      const pieces: string[] = [];
      let at = 0;
      for (const cut of cuts) {
        pieces.push(whole.slice(at, at + cut));
        at += cut;
      }
      pieces.push(whole.slice(at));
      // A cut may fall inside a surrogate pair, which no decoder of a model's stream ever does.
      fc.pre(!pieces.some((piece) => /[\uD800-\uDBFF]$|^[\uDC00-\uDFFF]/.test(piece)));
      expect(parse(pieces)).toEqual(parse([whole]));
    }),
  );
});
