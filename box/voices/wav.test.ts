import { expect, test } from "vitest";
import { wavFile, WavReader } from "./wav.ts";

const samples = Int16Array.from({ length: 100 }, (_, index) => index * 300 - 15_000);

function read(file: Buffer, size: number): { samples: number[]; rates: Set<number> } {
  const reader = new WavReader();
  const all: number[] = [];
  const rates = new Set<number>();
  for (let at = 0; at < file.length; at += size) {
    const pcm = reader.push(file.subarray(at, at + size));
    if (!pcm) continue;
    all.push(...pcm.samples);
    rates.add(pcm.sampleRate);
  }
  return { samples: all, rates };
}

test.each([1, 3, 7, 44, 45, 1_000])("in pieces of %i bytes", (size) => {
  expect(read(wavFile(samples, 22_050), size)).toEqual({ samples: [...samples], rates: new Set([22_050]) });
});

test("chunks before the samples are passed over, and sizes that a pipe cannot know are not believed", () => {
  const file = wavFile(samples, 16_000);
  const list = Buffer.from("LIST\x03\x00\x00\x00abc\x00", "latin1");
  file.writeUInt32LE(0x7ffff000, 40);
  const patched = Buffer.concat([file.subarray(0, 36), list, file.subarray(36)]);
  expect(read(patched, 5).samples).toEqual([...samples]);
});

test.each([
  ["no RIFF", (file: Buffer) => file.write("RIFX", 0)],
  ["two channels", (file: Buffer) => file.writeUInt16LE(2, 22)],
  ["24 bits", (file: Buffer) => file.writeUInt16LE(24, 34)],
  ["a rate nobody speaks at", (file: Buffer) => file.writeUInt32LE(1, 24)],
  ["no format", (file: Buffer) => file.write("junk", 12)],
  ["a header without end", (file: Buffer) => file.write("LIST", 36) && file.writeUInt32LE(1e9, 40)],
])("%s is refused", (_, damage) => {
  const file = wavFile(samples, 16_000);
  damage(file);
  expect(() => read(file, file.length)).toThrow(/WAV/);
});
