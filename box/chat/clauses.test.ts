import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ClauseCutter } from "./clauses.ts";

function cut(pieces: Iterable<string>): string[] {
  const cutter = new ClauseCutter();
  return [...[...pieces].flatMap((piece) => cutter.push(piece)), ...cutter.flush()];
}

test.each<[what: string, text: string, clauses: string[]]>([
  ["sentences", "Hi! How are you? Fine.", ["Hi!", "How are you?", "Fine."]],
  ["a first comma", "Well then, my friend, let us go on.", ["Well then, my friend,", "let us go on."]],
  ["a comma too early", "Well, my friend. Go on.", ["Well, my friend.", "Go on."]],
  [
    "abbreviations",
    "Dr. Who met Mrs. Smith at 5 p.m. today. Good.",
    ["Dr. Who met Mrs. Smith at 5 p.m. today.", "Good."],
  ],
  [
    "a number's abbreviation",
    "See fig. 5 and no. 7. Oh no. Sorry.",
    ["See fig. 5 and no. 7.", "Oh no.", "Sorry."],
  ],
  ["an initial", "J. Smith wrote it. Yes.", ["J. Smith wrote it.", "Yes."]],
  ["decimals", "It is 3.5 or 1,000 metres. Yes.", ["It is 3.5 or 1,000 metres.", "Yes."]],
  ["a time", "At 10:30 we meet there. Yes.", ["At 10:30 we meet there.", "Yes."]],
  ["an ellipsis", "Wait... I know. Yes…  no.", ["Wait...", "I know.", "Yes…", "no."]],
  ["quotes", 'She said "stop." Then she left.', ['She said "stop."', "Then she left."]],
  ["marks together", "What?! No way. Ok.", ["What?!", "No way.", "Ok."]],
  ["a list", "1. Eggs\n2. Milk", ["1. Eggs", "2. Milk"]],
  ["lines", "One\n\nTwo\n", ["One", "Two"]],
  ["marks alone", "... ! Yes.", ["Yes."]],
  [
    "Japanese",
    "こんにちは。お元気ですか？はい、元気です。",
    ["こんにちは。", "お元気ですか？", "はい、元気です。"],
  ],
  [
    "a first Japanese comma",
    "今日はとても良い天気、散歩しよう。",
    ["今日はとても良い天気、", "散歩しよう。"],
  ],
  ["Hindi", "नमस्ते। आप कैसे हैं? ठीक।", ["नमस्ते।", "आप कैसे हैं?", "ठीक।"]],
  [
    "German",
    "Das ist z.B. ein Satz. Und bzw. noch einer.",
    ["Das ist z.B. ein Satz.", "Und bzw. noch einer."],
  ],
  ["French", "Oui. « Bonjour. » Et M. Martin ?", ["Oui.", "« Bonjour.", "» Et M. Martin ?"]],
  ["Spanish", "¿Cómo está el Sr. Ruiz? ¡Bien!", ["¿Cómo está el Sr. Ruiz?", "¡Bien!"]],
])("%s", (_, text, clauses) => {
  expect(cut([text])).toEqual(clauses);
  expect(cut(text)).toEqual(clauses);
});

test("a later comma cuts only what has grown long", () => {
  const long =
    "This second sentence goes on for quite a while without any stop at all so that one must breathe, here.";
  expect(cut([`Yes. Short, short. ${long}`])).toEqual([
    "Yes.",
    "Short, short.",
    "This second sentence goes on for quite a while without any stop at all so that one must breathe,",
    "here.",
  ]);
});

test("text without any stop is cut at a space, and anywhere when there is none", () => {
  const words = cut(["word ".repeat(200)]);
  expect(words.every((clause) => clause.length <= 240 && /^(?:word ?)+$/.test(clause))).toBe(true);
  expect(cut(["x".repeat(1_000)]).map((clause) => clause.length)).toEqual([240, 240, 240, 240, 40]);
});

test("a clause is out as soon as the next one begins", () => {
  const cutter = new ClauseCutter();
  expect(cutter.push("Hello there.")).toEqual([]);
  expect(cutter.push(" ")).toEqual([]);
  expect(cutter.push("H")).toEqual(["Hello there."]);
});

const letters = (clauses: string[]) => clauses.join("").replace(/[^\p{L}\p{N}]/gu, "");

test("no words are lost or made up, however the stream is cut", () => {
  const word = fc.constantFrom(
    "Dr.",
    "1.",
    "a,",
    "b.",
    "…",
    "\n",
    "「",
    "。",
    "はい",
    "3.5",
    "x".repeat(70),
    "!?",
    '"',
  );
  fc.assert(
    fc.property(fc.array(fc.tuple(word, fc.constantFrom("", " ", "  ")), { maxLength: 60 }), (parts) => {
      const text = parts.flat().join("");
      const whole = cut([text]);
      expect(letters(whole)).toBe(text.replace(/[^\p{L}\p{N}]/gu, ""));
      expect(letters(cut(text))).toBe(letters(whole));
    }),
  );
});
