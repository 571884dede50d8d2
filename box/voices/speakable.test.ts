import { expect, test } from "vitest";
import { pauseAfterMs, speakable } from "./speakable.ts";

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

test("a sentence is followed by a longer breath than a comma, a comma by a longer one than nothing", () => {
  expect(pauseAfterMs("Stop.")).toBeGreaterThan(pauseAfterMs("Well,"));
  expect(pauseAfterMs("Well,")).toBeGreaterThan(pauseAfterMs("well"));
  expect(pauseAfterMs('"Stop."')).toBe(pauseAfterMs("Stop."));
  expect(pauseAfterMs("はい。")).toBe(pauseAfterMs("Stop."));
});
