// The figures of a take and their floors.

import type { Row } from "../report.ts";
import type { Verdict } from "./judge.ts";

/** How much of a take could be judged. */
export interface Coverage {
  /** Clips that were to be said, and those of them that were aligned and found in what was heard. */
  clips: number;
  placed: number;
  /** Frames that were recorded, and those of them with a face. */
  frames: number;
  withFace: number;
}

/** What is left out of the judgement must be little: neither floor holds where there is nothing at all. */
export function coverageRows(name: string, { clips, placed, frames, withFace }: Coverage): Row[] {
  return [
    { name: `${name}: clips found`, value: (100 * placed) / clips, unit: "%", floor: { atLeast: 80 } },
    {
      name: `${name}: frames with a face`,
      value: (100 * withFace) / frames,
      unit: "%",
      floor: { atLeast: 95 },
    },
  ];
}

/** @param soundBehindMs By how much the browser plays the sound behind the picture, on the sender's clock. */
export function lipRows(name: string, verdict: Verdict, soundBehindMs: number): Row[] {
  const { closures, missed } = verdict;
  return [
    {
      name: `${name}: lips shut on p, b, m`,
      value: (100 * (closures - missed.length)) / closures,
      unit: "%",
      floor: { atLeast: 90 },
    },
    {
      name: `${name}: aperture against jaw opening, r`,
      value: verdict.apertureR,
      unit: "",
      floor: { atLeast: 0.8 },
    },
    {
      name: `${name}: lips late by, as seen and heard`,
      value: verdict.offsetSeconds * 1000 - soundBehindMs,
      unit: "ms",
      floor: { within: 20 },
    },
  ];
}
