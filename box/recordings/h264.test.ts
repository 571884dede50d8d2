import { spawnSync } from "node:child_process";
import { describe, expect, test } from "vitest";
import { nalUnits, videoConfig, withLengths } from "./h264.ts";

const installed = spawnSync("ffmpeg", ["-version"]).status === 0;

test("units are found behind start codes of either length, without the zeros behind them", () => {
  const units = nalUnits(Uint8Array.from([0, 0, 0, 1, 9, 1, 0, 0, 1, 7, 0, 0, 3, 1, 0, 0, 0, 0, 1, 8, 2]));
  expect(units.map((unit) => [...unit])).toEqual([
    [9, 1],
    [7, 0, 0, 3, 1],
    [8, 2],
  ]);
  expect([...withLengths(units.slice(0, 1))]).toEqual([0, 0, 0, 2, 9, 1]);
  for (const none of [[], [0, 0], [0, 0, 1], [1, 2, 3, 4], [0, 0, 0, 0]])
    expect(nalUnits(Uint8Array.from(none))).toEqual([]);
});

test("without its parameters nothing is known of a picture", () => {
  expect(videoConfig(nalUnits(Uint8Array.from([0, 0, 1, 0x65, 1, 2])))).toBeNull();
  expect(videoConfig([])).toBeNull();
});

// `npm test` installs FFmpeg before it runs this; only a bare `vitest` on an unprepared machine skips it.
describe.skipIf(!installed)("with FFmpeg installed", () => {
  test.each([
    ["baseline", 256, 256],
    ["main", 640, 360],
    ["high", 1080, 1080],
    ["high", 1280, 718],
    ["high", 34, 18],
  ])("the size of a %s stream of %d by %d is read from it", (profile, width, height) => {
    const source = ["-f", "lavfi", "-i", `color=gray:s=${width}x${height}:d=0.2:r=25`];
    const codec = ["-c:v", "libx264", "-profile:v", profile, "-pix_fmt", "yuv420p", "-f", "h264", "-"];
    const { stdout } = spawnSync("ffmpeg", ["-v", "error", ...source, ...codec], { maxBuffer: 2 ** 24 });
    const config = videoConfig(nalUnits(stdout));
    expect(config).toMatchObject({ codedWidth: width, codedHeight: height });
    expect(config?.codec).toMatch(/^avc1\.[0-9a-f]{6}$/);
    // A record that FFmpeg takes for one begins with its version, and repeats the profile.
    expect(config?.description[0]).toBe(1);
    expect(config?.codec.slice(5, 7)).toBe(config?.description[1]?.toString(16).padStart(2, "0"));
  });
});
