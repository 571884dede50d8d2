import { expect, test } from "vitest";
import { samplesOf } from "./sound.ts";

const spoken = [0, 1, -1, 32_767, -32_768];

function pcmAt(offset: number): Buffer {
  const bytes = Buffer.alloc(offset + spoken.length * 2 + 1);
  spoken.forEach((sample, index) => bytes.writeInt16LE(sample, offset + index * 2));
  return bytes.subarray(offset);
}

test("sound is looked at where it lies", () => {
  const pcm = pcmAt(0);
  const samples = samplesOf(pcm, spoken.length);
  expect([...samples]).toEqual(spoken);
  expect(samples.buffer).toBe(pcm.buffer);
});

test("sound that begins at an odd address is copied", () => {
  expect([...samplesOf(pcmAt(1), spoken.length)]).toEqual(spoken);
});
