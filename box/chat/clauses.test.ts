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
  ["an emoji behind a stop", "Hi. 😊 How are you? 🙂🙂", ["Hi. 😊", "How are you? 🙂🙂"]],
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
  ["French", "Oui. « Bonjour. » Et M. Martin ?", ["Oui.", "« Bonjour. »", "Et M. Martin ?"]],
  ["Spanish", "¿Cómo está el Sr. Ruiz? ¡Bien!", ["¿Cómo está el Sr. Ruiz?", "¡Bien!"]],
  // A title, an initial, an abbreviation; and the same at the end of a sentence.
  [
    "St.",
    "We met in St. Louis on Main St. Then we left.",
    ["We met in St. Louis on Main St.", "Then we left."],
  ],
  [
    "U.S.",
    "The U.S. Senate sat. He left the U.S. He came back.",
    ["The U.S. Senate sat.", "He left the U.S.", "He came back."],
  ],
  [
    "Ph.D.",
    "She has a Ph.D. in physics. He has a Ph.D. It took years.",
    ["She has a Ph.D. in physics.", "He has a Ph.D.", "It took years."],
  ],
  ["an abbreviation first", "Mr. Ruiz. St. Paul. Dr. No.", ["Mr. Ruiz.", "St. Paul.", "Dr. No."]],
  ["the end of the day", "It is 5 p.m. Then we eat.", ["It is 5 p.m.", "Then we eat."]],
  ["etc.", "Apples, etc. and pears etc. The end.", ["Apples, etc. and pears etc.", "The end."]],
  ["an unknown abbreviation", "The blvd. is long. It is.", ["The blvd. is long.", "It is."]],
  [
    "a letter alone",
    "Take plan B. Then go. I chose c. Good.",
    ["Take plan B.", "Then go.", "I chose c.", "Good."],
  ],
  [
    "a date, a version, an address",
    "On 12.03.2024 v1.2.3 came. See 10.0.0.1 now.",
    ["On 12.03.2024 v1.2.3 came.", "See 10.0.0.1 now."],
  ],
  [
    "links",
    "Go to https://example.org/a.b?c=d!e. Or mail a.b@c.org. Or open x.tar.gz now.",
    ["Go to https://example.org/a.b?c=d!e.", "Or mail a.b@c.org.", "Or open x.tar.gz now."],
  ],
  ["a figure at the end", "It costs 5. We have 1,000. Fine.", ["It costs 5.", "We have 1,000.", "Fine."]],
  [
    "German abbreviations with spaces",
    "Nimm z. B. Brot, d. h. Essen, u. a. Käse. Gut.",
    ["Nimm z. B. Brot,", "d. h. Essen, u. a. Käse.", "Gut."],
  ],
  [
    "German ordinals",
    "Am 1. Januar und der 14. Mann. Es sind 3. Danach nichts.",
    ["Am 1. Januar und der 14. Mann.", "Es sind 3.", "Danach nichts."],
  ],
  ["German quotes", "„Hallo.“ Er ging. »Ja.« Gut.", ["„Hallo.“", "Er ging.", "»Ja.«", "Gut."]],
  ["French spaces", "Quoi ?! « Non ! » Oui\u00a0! Bon.", ["Quoi ?!", "« Non ! »", "Oui !", "Bon."]],
  [
    "French abbreviations",
    "Mme. Roy et M. Dupont, av. J.-C. aussi. Fin.",
    ["Mme. Roy et M. Dupont,", "av. J.-C. aussi.", "Fin."],
  ],
  ["Spanish marks without a space", "¿Estás bien?¿Y tú?¡Claro!", ["¿Estás bien?", "¿Y tú?", "¡Claro!"]],
  [
    "Spanish abbreviations",
    "Hay p. ej. la 3.ª y el n.º 5. En EE. UU. Juan vive. Sí.",
    ["Hay p. ej. la 3.ª y el n.º 5.", "En EE. UU. Juan vive.", "Sí."],
  ],
  [
    "Italian",
    "La Sig.ra Rossi e il dott. Bianchi, pag. 5, ecc. Il resto no.",
    ["La Sig.ra Rossi e il dott. Bianchi,", "pag. 5, ecc.", "Il resto no."],
  ],
  [
    "Portuguese",
    "O Sr. Silva, p. ex. hoje. Veja a pág. 3. Bom.",
    ["O Sr. Silva, p. ex. hoje.", "Veja a pág. 3.", "Bom."],
  ],
  ["Hindi abbreviations", "डॉ. शर्मा आए।वे ठीक हैं॥ हाँ।", ["डॉ. शर्मा आए।", "वे ठीक हैं॥", "हाँ।"]],
  [
    "Japanese quotes",
    "彼は「やあ。」と言った。『はい！』さて。",
    ["彼は「やあ。」と言った。", "『はい！』", "さて。"],
  ],
  ["half-width Japanese", "ﾊｲ｡ｲｲｴ！", ["ﾊｲ｡", "ｲｲｴ！"]],
  ["two languages", "Hello!こんにちは。Bye.", ["Hello!", "こんにちは。", "Bye."]],
  ["Chinese quotes", "他说：“好。”“再见。”走了。", ["他说：“好。”", "“再见。”", "走了。"]],
  [
    "Korean and Russian",
    "안녕하세요. 네! Привет. Это т. е. да.",
    ["안녕하세요.", "네!", "Привет.", "Это т. е. да."],
  ],
  [
    "emoji and markup after a stop",
    "Great!😀 **Next.** _Then._ Now.",
    ["Great!😀", "**Next.**", "_Then._", "Now."],
  ],
  ["an abbreviation at the very end", "He left the U.S. The", ["He left the U.S.", "The"]],
  ["an ellipsis and a mark", "Hein... ? Wait...what. Ok.", ["Hein... ?", "Wait...what.", "Ok."]],
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

test("a word after a stop is waited for only where it decides", () => {
  const cutter = new ClauseCutter();
  expect(cutter.push("In the U.S. T")).toEqual([]);
  expect(cutter.push("he")).toEqual([]);
  expect(cutter.push(" ")).toEqual(["In the U.S."]);
  expect(cutter.push("end. N")).toEqual(["The end."]);
});

test("no character is cut in two: surrogate pairs, letters with their marks, emoji with their parts", () => {
  for (const unit of ["😀", "की", "👩‍👩‍👧", "é", "🇮🇳"]) {
    // Every offset of the limit within the unit.
    for (let lead = 0; lead < unit.length; lead++) {
      const text = "x".repeat(lead) + unit.repeat(300);
      const cutter = new ClauseCutter();
      const clauses = [...text].flatMap((character) => cutter.push(character));
      const whole = [...clauses, ...cutter.flush()].join("");
      expect(whole.isWellFormed()).toBe(true);
      if (unit === "é" || unit === "की") {
        expect(whole).toBe(text);
        expect(clauses.some((clause) => /^\p{M}/u.test(clause))).toBe(false);
      }
    }
  }
  const cutter = new ClauseCutter();
  expect([...cutter.push("a\uD83D"), ...cutter.push("\uDE00b"), ...cutter.flush()]).toEqual(["a😀b"]);
});

const letters = (clauses: string[]) => clauses.join("").replace(/[^\p{L}\p{N}]/gu, "");

const scraps = fc.array(
  fc.oneof(
    fc.constantFrom(
      ...'Dr. U.S. z. B. p. ej. 1. 3.5 a, b. … ... \n 「 」 。 はい と ！？ !? " « » „ “ ” ¿ ¡ । ॥ の 名 The he No. *  ** 😀 👩‍👧 é क्ष — : . , ! ? ) ('.split(
        " ",
      ),
      " ",
      "  ",
      "\u00a0",
      "x".repeat(70),
    ),
    fc.string({ unit: "grapheme", maxLength: 4 }),
    fc.lorem({ maxCount: 3 }),
  ),
  { maxLength: 80 },
);
const bare = (text: string) => text.replace(/\s+/gu, "");

test("no words are lost or made up, in whatever order", () => {
  fc.assert(
    fc.property(scraps, (parts) => {
      const text = parts.join("");
      expect(letters(cut([text]))).toBe(text.replace(/[^\p{L}\p{N}]/gu, ""));
      // What is said is a part of what was written, marks and all.
      let at = 0;
      for (const clause of cut([text])) {
        expect(clause.length).toBeLessThanOrEqual(241);
        const found = bare(text).indexOf(bare(clause), at);
        expect(found).toBeGreaterThanOrEqual(at);
        at = found + bare(clause).length;
      }
    }),
    { numRuns: 500 },
  );
});

test("where the stream is cut changes nothing, in the middle of a character either", () => {
  fc.assert(
    fc.property(scraps, fc.array(fc.integer({ min: 1, max: 9 }), { maxLength: 60 }), (parts, sizes) => {
      const text = parts.join("");
      const pieces: string[] = [];
      let at = 0;
      for (const size of [...sizes, text.length]) {
        pieces.push(text.slice(at, at + size));
        at += size;
      }
      expect(cut(pieces)).toEqual(cut([text]));
      expect(cut(text)).toEqual(cut([text]));
    }),
    { numRuns: 500 },
  );
});

test.each([
  ["words", "word ".repeat(200_000)],
  ["sentences", "A short one. ".repeat(80_000)],
  ["no space", "x".repeat(1_000_000)],
  ["stops", ".".repeat(1_000_000)],
  ["stops and spaces", ". ".repeat(500_000)],
  ["initials", "A. ".repeat(333_000)],
  ["abbreviations", "e.g. U.S. Xy no. 5 z. B. ".repeat(40_000)],
  ["commas", ",a".repeat(500_000)],
  ["quotes", '«»„“"'.repeat(200_000)],
  ["marks", `a${"\u0301".repeat(1_000_000)}`],
  ["spaces", ` a${" ".repeat(1_000_000)}b`],
  ["lines", "\n".repeat(1_000_000)],
  ["looks", "St. Abcdefghijklmnopqrstuvw ".repeat(36_000)],
])("a megabyte of %s is read in a bounded number of steps", (_, text) => {
  const cutter = new ClauseCutter();
  cutter.push(text);
  cutter.flush();
  expect(cutter.steps).toBeLessThan(3 * text.length);
});
