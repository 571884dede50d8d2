import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Upsampler } from "./upsample.ts";

const tone = (hertz: number, rate: number, length: number) =>
  Int16Array.from({ length }, (_, index) =>
    Math.round(10_000 * Math.sin((2 * Math.PI * hertz * index) / rate)),
  );

/** Amplitude of one frequency in a signal at 24 kHz, away from its edges. */
function amplitude(signal: Int16Array, hertz: number): number {
  const from = 240;
  const length = 24_000 - 480;
  let [sine, cosine] = [0, 0];
  for (let index = from; index < from + length; index++) {
    const turn = (2 * Math.PI * hertz * index) / 24_000;
    sine += (signal[index] ?? 0) * Math.sin(turn);
    cosine += (signal[index] ?? 0) * Math.cos(turn);
  }
  return (2 * Math.hypot(sine, cosine)) / length;
}

test.each([200, 1_000, 3_000, 5_000])("%i Hz keeps its level and has no image", (hertz) => {
  const out = new Upsampler().push(tone(hertz, 16_000, 16_000));
  expect(out).toHaveLength(24_000);
  expect(amplitude(out, hertz)).toBeGreaterThan(9_700);
  expect(amplitude(out, hertz)).toBeLessThan(10_300);
  // What a resampler without a filter would leave behind, 60 dB below.
  expect(amplitude(out, Math.min(16_000 - hertz, 24_000 - (16_000 - hertz)))).toBeLessThan(10);
});

test("silence stays silence, and the loudest stays in range", () => {
  expect(new Upsampler().push(new Int16Array(100)).every((sample) => sample === 0)).toBe(true);
  const square = Int16Array.from({ length: 1_600 }, (_, index) => (index % 40 < 20 ? 32_767 : -32_768));
  const out = new Upsampler().push(square);
  expect(Math.max(...out)).toBe(32_767);
  expect(Math.min(...out)).toBe(-32_768);
});

test("where the stream is cut changes nothing", () => {
  fc.assert(
    fc.property(
      fc.int16Array({ maxLength: 400 }),
      fc.array(fc.nat(50), { maxLength: 20 }),
      (samples, cuts) => {
        const whole = new Upsampler().push(samples);
        const upsampler = new Upsampler();
        const pieces: number[] = [];
        let at = 0;
        for (const cut of [...cuts, samples.length]) {
          pieces.push(...upsampler.push(samples.subarray(at, at + cut)));
          at += cut;
        }
        expect(pieces).toEqual([...whole]);
        expect(whole).toHaveLength(Math.ceil(samples.length * 1.5));
      },
    ),
  );
});
