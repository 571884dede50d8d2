import { describe, expect, it } from "vitest";
import { bestOffset, correlation, locate, minimumWithin, quantile, valueAt, type Track } from "./score.ts";

const wave = (shift: number): Track => {
  const times = Array.from({ length: 200 }, (_, i) => i * 0.04);
  return { times, values: times.map((t) => Math.sin(3 * (t - shift)) + Math.sin(7.3 * (t - shift))) };
};

describe("score", () => {
  it("finds how late the lips are", () => {
    const { offsetSeconds, best, unshifted } = bestOffset(wave(0.06), wave(0));
    expect(offsetSeconds).toBeCloseTo(0.06, 2);
    expect(best).toBeGreaterThan(0.99);
    expect(unshifted).toBeLessThan(best);
  });

  it("calls unrelated curves unrelated", () => {
    const noise = Array.from({ length: 500 }, (_, i) => Math.sin(i * i * 12.9898));
    const other = Array.from({ length: 500 }, (_, i) => Math.sin(i * i * 78.233 + 1));
    expect(Math.abs(correlation(noise, other))).toBeLessThan(0.15);
    expect(correlation([1, 1, 1], [1, 2, 3])).toBe(0);
  });

  it("finds a clip in a recording", () => {
    const haystack = Float32Array.from({ length: 4000 }, (_, i) => Math.sin(i * i * 0.001));
    const needle = haystack.slice(1234, 1734).map((x) => x * 0.3);
    expect(locate(needle, haystack, { from: 0, to: 3500 })).toEqual({
      lag: 1234,
      score: expect.closeTo(1, 5),
    });
  });

  it("reads tracks between their points", () => {
    const track = { times: [0, 1, 2], values: [0, 10, 0] };
    expect(valueAt(track, 0.25)).toBe(2.5);
    expect(valueAt(track, 9)).toBe(0);
    expect(minimumWithin(track, 0.5, 1.5)).toBe(5);
    expect(quantile([3, 1, 2], 0.5)).toBe(2);
  });
});
