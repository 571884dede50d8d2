import { expect, test } from "vitest";
import { toneOf } from "./tones.ts";

const message = (topic: string, text: string, attributes: Record<string, string> = {}) =>
  toneOf({ topic, text, attributes });

test.each([
  ["vv.tone", '{"tone":"happy"}', {}, "happy"],
  ["vv.tone", '{"tone":"Sad"}', {}, "sad"],
  ["lk.control", "emotion:curious", {}, "curious"],
  ["lk.control", " emotion: warm \n", {}, "warm"],
  ["lk.transcription", "Hello", { "lk.expression": '{"value":"excited"}' }, "excited"],
])("%s %j %j asks for a tone", (topic, text, attributes, tone) => {
  expect(message(topic, text, attributes)).toBe(tone);
});

test.each([
  ["vv.tone", "happy", {}],
  ["vv.tone", '{"tone":"furious"}', {}],
  ["vv.tone", '{"tone":7}', {}],
  ["vv.tone", "null", {}],
  ["vv.tone", '{"value":"happy"}', {}],
  ["lk.control", "volume:3", {}],
  ["lk.control", "emotion:", {}],
  ["lk.transcription", "happy", {}],
  ["lk.transcription", "", { "lk.expression": "{" }],
  ["chat", '{"tone":"happy"}', {}],
])("%s %j %j does not", (topic, text, attributes) => {
  expect(message(topic, text, attributes)).toBeNull();
});
