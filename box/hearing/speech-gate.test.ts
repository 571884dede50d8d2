import { expect, test } from "vitest";
import { SpeechGate } from "./speech-gate.ts";

/** One character a frame of 32 ms: `#` is speech, `+` may be, `.` is none. Answers one as well: `.`, open `o`, confirmed `C`. */
function pass(frames: string, enoughMs = 128): string {
  const gate = new SpeechGate();
  const levels: Record<string, number> = { "#": 0.9, "+": 0.4, ".": 0.1 };
  let endMs = 0;
  return [...frames]
    .map((frame) => {
      endMs += 32;
      gate.step({ probability: levels[frame] ?? 0, endMs, enoughMs });
      if (!gate.open) return ".";
      return gate.confirmed ? "C" : "o";
    })
    .join("");
}

test.each([
  ["a frame alone opens nothing", "..#..#..", "........"],
  ["two open, four count", "..####..", "...ooC.."],
  ["what may be speech keeps it open, but does not open it", "++##++..", "...ooC.."],
  ["a gap within a word is bridged", "####...##..", ".ooC....C.."],
  ["a longer one begins anew", "####......####", ".ooC.......ooC"],
  ["short noises far apart never count", "##.....##.....##", ".o......o......o"],
])("%s", (_name, frames, expected) => {
  expect(pass(frames)).toBe(expected);
});

test("where more speech is asked for, it may come in pieces, and the gaps do not count", () => {
  expect(pass("####....####", 256)).toBe(".ooo.....ooC");
  expect(pass("##.....##.......##", 256)).not.toContain("C");
});

test("a stretch is known by its beginning and its end", () => {
  const gate = new SpeechGate();
  for (let frame = 1; frame <= 20; frame += 1)
    gate.step({ probability: frame > 5 && frame <= 12 ? 0.9 : 0, endMs: frame * 32, enoughMs: 128 });
  expect({ since: gate.sinceMs, last: gate.lastSpeechMs }).toEqual({ since: 5 * 32, last: 12 * 32 });
});
