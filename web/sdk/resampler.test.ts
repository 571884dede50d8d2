import { describe, expect, it } from "vitest";
import { Resampler } from "./resampler.ts";

const sine = (hertz: number, rate: number, seconds: number) =>
  Float32Array.from({ length: Math.round(rate * seconds) }, (_, i) =>
    Math.sin((2 * Math.PI * hertz * i) / rate),
  );

function resampled(input: Float32Array, inputRate: number, block = 128, outputRate = 16_000): number[] {
  const output: number[] = [];
  const resampler = new Resampler({ inputRate, outputRate });
  for (let at = 0; at < input.length; at += block) {
    resampler.push(input.subarray(at, at + block), (sample) => output.push(sample));
  }
  return output;
}

/** Loudness of the settled middle, in decibels against a full sine. */
function levelDb(samples: number[]): number {
  const middle = samples.slice(1000, -1000);
  const power = middle.reduce((sum, sample) => sum + sample * sample, 0) / middle.length;
  return 10 * Math.log10(2 * power + 1e-20);
}

describe("Resampler", () => {
  it.each([48_000, 44_100, 96_000, 22_050, 8000, 16_000, 47_999])(
    "gives 16,000 samples for a second at %i Hz, whatever the size of the pieces",
    (rate) => {
      const input = sine(400, rate, 1);
      const whole = resampled(input, rate, rate);
      // The filter keeps back what it still needs, some milliseconds.
      expect(whole.length).toBeLessThanOrEqual(16_000);
      expect(whole.length).toBeGreaterThan(15_920);
      for (const block of [1, 128, 441]) {
        expect(resampled(input, rate, block)).toEqual(whole);
      }
    },
  );

  it.each([48_000, 44_100, 96_000])("keeps speech from %i Hz as loud as it is", (rate) => {
    for (const hertz of [100, 1000, 3000, 6900]) {
      expect(levelDb(resampled(sine(hertz, rate, 1), rate))).toBeCloseTo(0, 1);
    }
  });

  it.each([48_000, 44_100, 96_000])("folds nothing back that 16 kHz cannot hold, from %i Hz", (rate) => {
    for (const hertz of [8000, 9000, 12_000, 15_900, 20_000]) {
      expect(levelDb(resampled(sine(hertz, rate, 1), rate))).toBeLessThan(-65);
    }
  });

  it("adds no images when it has to go up from a headset's 8 kHz", () => {
    const output = resampled(sine(1000, 8000, 2), 8000);
    // The sine itself, taken out by its own frequency, leaves what does not belong there.
    const middle = output.slice(4000, 20_000);
    const turn = (i: number) => (2 * Math.PI * 1000 * i) / 16_000;
    const inPhase = (2 / middle.length) * middle.reduce((sum, x, i) => sum + x * Math.sin(turn(i)), 0);
    const quadrature = (2 / middle.length) * middle.reduce((sum, x, i) => sum + x * Math.cos(turn(i)), 0);
    expect(Math.hypot(inPhase, quadrature)).toBeCloseTo(1, 2);
    const rest = middle.map((x, i) => x - inPhase * Math.sin(turn(i)) - quadrature * Math.cos(turn(i)));
    expect(10 * Math.log10((2 * rest.reduce((sum, x) => sum + x * x, 0)) / rest.length)).toBeLessThan(-60);
  });

  it("keeps silence silent and a steady level steady", () => {
    expect(resampled(new Float32Array(48_000), 48_000).every((sample) => sample === 0)).toBe(true);
    const steady = resampled(new Float32Array(48_000).fill(0.5), 48_000).slice(500);
    for (const sample of steady) expect(sample).toBeCloseTo(0.5, 5);
  });
});
