import { expect, test } from "vitest";
import { heardWords } from "./heard.ts";

const parts = [
  { text: "One two.", startMs: 0, endMs: 1_000 },
  { text: "Three four five six.", startMs: 1_200, endMs: 3_200 },
  { text: "Seven.", startMs: 3_400, endMs: 4_000 },
];

test.each([
  [0, ""],
  [10, ""],
  [600, "One"],
  [1_000, "One two."],
  [1_100, "One two."],
  [1_250, "One two."],
  [2_300, "One two. Three four"],
  [3_199, "One two. Three four five"],
  [3_200, "One two. Three four five six."],
  [9_999, "One two. Three four five six. Seven."],
])("after %i ms %j was heard", (playedMs, heard) => {
  expect(heardWords(parts, playedMs)).toBe(heard);
});

test("a script without spaces is cut between characters", () => {
  expect(heardWords([{ text: "こんにちは。", startMs: 0, endMs: 600 }], 300)).toBe("こんに");
});
