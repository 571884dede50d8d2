import { expect, test } from "vitest";
import { fitLine } from "./regression.ts";

test("a line is found exactly, and noise is owned up to", () => {
  const xs = Array.from({ length: 50 }, (_, i) => i);
  expect(fitLine(xs.map((x) => ({ x, y: 3 * x + 7 })))).toEqual({
    slope: expect.closeTo(3),
    error: expect.closeTo(0),
  });
  const noisy = fitLine(xs.map((x) => ({ x, y: x % 2 })));
  expect(Math.abs(noisy.slope)).toBeLessThan(2 * noisy.error);
});

test("too few points say nothing", () => {
  expect(fitLine([])).toEqual({ slope: 0, error: 0 });
  expect(fitLine([{ x: 1, y: 1 }])).toEqual({ slope: 0, error: 0 });
  expect(fitLine([1, 2].map((y) => ({ x: 1, y })))).toEqual({ slope: 0, error: 0 });
});
