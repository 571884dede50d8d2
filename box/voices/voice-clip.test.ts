import * as fc from "fast-check";
import { expect, test } from "vitest";
import { Refusal } from "../failure.ts";
import { cleanClip } from "./voice-clip.ts";

const sampleRate = 24_000;

/** A tone of a level between two silences, all in seconds. */
function clip({ before = 0, seconds = 5, after = 0, level = 0.2, noise = 0 } = {}) {
  const samples = new Int16Array(Math.round((before + seconds + after) * sampleRate));
  for (let index = 0; index < samples.length; index++) {
    const at = index / sampleRate;
    const speaks = at >= before && at < before + seconds;
    const hiss = noise * (((index * 7919) % 17) / 8 - 1);
    samples[index] = Math.round(32_767 * (speaks ? level * Math.sin(2 * Math.PI * 200 * at) : hiss));
  }
  return { samples, sampleRate };
}

const codeOf = (work: () => unknown): string => {
  try {
    work();
  } catch (error) {
    if (error instanceof Refusal) return `${error.code}: ${error.message}`;
    throw error;
  }
  return "";
};
const peakOf = (samples: Int16Array) => samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);

test("silence goes from both ends, but for a breath, and none from the middle", () => {
  const clean = cleanClip(clip({ before: 2, seconds: 4, after: 3, noise: 0.001 }));
  expect(clean.samples.length / sampleRate).toBeCloseTo(4.3, 1);
});

test.each([
  [0.05, 0.8],
  [0.5, 0.89],
  [1, 0.89],
  [0.01, 0.16],
])("a clip that peaks at %f is brought to %f", (level, peak) => {
  expect(peakOf(cleanClip(clip({ level })).samples) / 32_767).toBeCloseTo(peak, 2);
});

test("what is too short says how short it is", () => {
  expect(codeOf(() => cleanClip(clip({ seconds: 2 })))).toMatch(
    /^audio_too_short: .*at least 3 seconds.*2\.0/,
  );
  expect(codeOf(() => cleanClip(clip({ before: 4, seconds: 1, after: 4 })))).toMatch(
    /^audio_too_short: .*1\.3/,
  );
  expect(codeOf(() => cleanClip(clip({ seconds: 10, level: 0 })))).toMatch(/^audio_too_short: .*0\.0/);
  expect(codeOf(() => cleanClip({ samples: new Int16Array(), sampleRate }))).toMatch(/^audio_too_short/);
});

test("a minute passes, as encoders pad it, and more does not", () => {
  expect(codeOf(() => cleanClip(clip({ seconds: 60.2 })))).toBe("");
  expect(codeOf(() => cleanClip(clip({ seconds: 61 })))).toMatch(/^audio_too_long/);
});

test("whatever is recorded stays within its samples", () => {
  fc.assert(
    fc.property(
      fc.array(fc.integer({ min: -32_768, max: 32_767 }), { minLength: 1, maxLength: 200 }),
      (few) => {
        const samples = Int16Array.from(
          { length: 4 * sampleRate },
          (_, index) => few[index % few.length] ?? 0,
        );
        const code = codeOf(() => {
          const clean = cleanClip({ samples, sampleRate });
          expect(peakOf(clean.samples)).toBeLessThanOrEqual(Math.max(29_164, 0));
          expect(clean.samples.length).toBeLessThanOrEqual(samples.length);
        });
        expect(code).toMatch(/^(?:audio_too_short.*)?$/);
      },
    ),
    { numRuns: 30 },
  );
});
