import { expect, it } from "vitest";
import { formatFps, formatMs } from "./figures.ts";

it("rounds to what can be read at a glance", () => {
  expect([0.4, 9.6, 141.2, 12_340, null, Number.NaN].map(formatMs)).toEqual([
    "< 1 ms",
    "10 ms",
    "141 ms",
    "12.3 s",
    "–",
    "–",
  ]);
  expect([24.96, 0, null].map(formatFps)).toEqual(["25.0 fps", "0.0 fps", "–"]);
});
