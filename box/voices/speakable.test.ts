import { expect, test } from "vitest";
import type { Language } from "../../contract/tones.ts";
import { languageOfScript, pauseAfterMs, speakable } from "./speakable.ts";

test.each([
  ["**Bold** and `code`", "Bold and code"],
  ["See [the docs](https://example.org/a?b) now", "See the docs now"],
  ["At https://www.example.org/path?x=1 you find it", "At example.org you find it"],
  ["Hi 🙂👍🏽!", "Hi !"],
  ["[[_^_EN]] phonemes", "EN phonemes"],
  ["a\u0000b\nc\u200Bd", "a b c d"],
  ["こんにちは", "こんにちは"],
  ["🙂", ""],
])("%s", (text, words) => {
  expect(speakable(text).replace(/\s+/g, " ")).toBe(words);
});

test.each<[Language, string, string]>([
  ["ja", "ﾊﾛｰ、ＡＢＣ １２", "ハロー、ABC 12"],
  ["ja", "コーヒー・ケーキ", "コーヒー ケーキ"],
  ["ja", "今日はいい天気ですね〜", "はいい ですねー"],
  ["ja", "3〜5", "3から5"],
  ["ja", "「はい」（そう）", "はい そう"],
  ["ja", "人々", ""],
  ["en", "Tokyo (東京) is とても big", "Tokyo ( ) is big"],
  ["hi", "क्\u200Dया हाल है?", "क्या हाल है?"],
  ["de", "Donau\u00ADdampf", "Donaudampf"],
  ["es", "¿Qué? «Sí», 3,5 € 🇪🇸 1️⃣", "¿Qué? Sí , 3,5 € 1"],
  ["fr", "L’été, c’est « bien ».", "L’été, c’est bien ."],
  ["pt", "ação — não", "ação — não"],
  ["it", "perché no?", "perché no?"],
])("in %s: %s", (language, text, words) => {
  expect(speakable(text, language)).toBe(words);
});

test("no control character is left, in whatever language: it could command the voice", () => {
  for (const language of [null, "en", "ja"] as const)
    expect(speakable("\u00011S\u000199P\u0001hello\u007F", language)).not.toMatch(/\p{Cc}/u);
});

test.each([
  ["こんにちは", "ja"],
  ["今日はとても", "ja"],
  ["東京", null],
  ["The word あ in English", null],
  ["नमस्ते", "hi"],
  ["OK, नमस्ते जी", "hi"],
  ["12, 34!", null],
  ["", null],
])("the script of %j is that of %s", (text, language) => {
  expect(languageOfScript(text)).toBe(language);
});

test("a sentence is followed by a longer breath than a comma, a comma by a longer one than nothing", () => {
  expect(pauseAfterMs("Stop.")).toBeGreaterThan(pauseAfterMs("Well,"));
  expect(pauseAfterMs("Well,")).toBeGreaterThan(pauseAfterMs("well"));
  expect(pauseAfterMs('"Stop."')).toBe(pauseAfterMs("Stop."));
  for (const sentence of ["はい。", "「はい。」", "はい｡", "本当！", "なに？", "ठीक है।", "सच॥", "…"])
    expect(pauseAfterMs(sentence), sentence).toBe(pauseAfterMs("Stop."));
  for (const clause of ["はい、", "なら，", "つまり：", "अच्छा,", "bien ;"])
    expect(pauseAfterMs(clause), clause).toBe(pauseAfterMs("Well,"));
});
