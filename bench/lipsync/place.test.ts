import { expect, test } from "vitest";
import { placeClips } from "./place.ts";
import { sampleRate, type Clip } from "./truth.ts";

/** Little, so that looking through it is quick. */
const audioRate = 1_000;

/** A second of noise that is like no other seed's, slow enough for the steps in which it is looked for. */
function clip(seed: number): Clip {
  const samples = Int16Array.from({ length: sampleRate }, (_, i) => {
    const at = i / 400;
    const noise = (step: number) => Math.sin(step * step * 12.9898 + seed * 78.233 * step);
    const share = at - Math.floor(at);
    return 8_000 * ((1 - share) * noise(Math.floor(at)) + share * noise(Math.floor(at) + 1));
  });
  return { text: String(seed), wav: "", samples, phones: [] };
}

/** What is heard when these clips are said, each after half a second of silence. */
function heard(clips: readonly Clip[]) {
  const audio = new Float32Array((clips.length * 1.5 + 1) * audioRate);
  clips.forEach(({ samples }, i) => {
    for (let at = 0; at < audioRate; at += 1)
      audio[(1.5 * i + 0.5) * audioRate + at] = (samples[(at * sampleRate) / audioRate] ?? 0) / 32_768;
  });
  return { clauses: [], frames: [], audio, audioRate, soundBehindMs: 0, lostSeconds: 0 };
}

test("clips are placed where they are heard, and one that is not heard is left out", () => {
  const [one, two, three] = [clip(1), clip(2), clip(3)];
  const placed = placeClips([one, two, three], heard([one, three]));
  expect(placed.map(({ text }) => text)).toEqual(["1", "3"]);
  expect(placed.map(({ startSeconds }) => startSeconds)).toEqual([0.5, 2].map((at) => expect.closeTo(at, 2)));
});

test("where nothing is heard, nothing is placed", () => {
  expect(placeClips([clip(1)], heard([clip(2)]))).toEqual([]);
});
