import { describe, expect, it } from "vitest";
import { holds } from "../report.ts";
import { coverageRows } from "./rows.ts";

const held = (coverage: Parameters<typeof coverageRows>[1]) => coverageRows("a take", coverage).map(holds);

describe("coverage of a take", () => {
  it("asks for four of five clips and nineteen of twenty frames", () => {
    expect(held({ clips: 5, placed: 4, frames: 100, withFace: 95 })).toEqual([true, true]);
    expect(held({ clips: 5, placed: 3, frames: 100, withFace: 94 })).toEqual([false, false]);
  });

  it("misses both floors where there is nothing to judge", () => {
    expect(held({ clips: 0, placed: 0, frames: 0, withFace: 0 })).toEqual([false, false]);
    expect(held({ clips: 1, placed: 0, frames: 10, withFace: 0 })).toEqual([false, false]);
  });
});
