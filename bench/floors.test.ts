import { describe, expect, it } from "vitest";
import { chosenParts, collectRows, floorsTable, holds } from "../.setup/floors.mjs";

describe("table of floors", () => {
  it("reads the warp's lines: a row for every remap", () => {
    const { rows, take } = collectRows();
    const line = (size: string, contender: string, ms: number, times: number, floor?: number) =>
      take(
        "warp",
        JSON.stringify({
          bench: "warp",
          size,
          framing: "f",
          contender,
          ms_per_frame: ms,
          times_faster: times,
          floor,
        }),
      );
    expect(line("512x512", "visavis", 0.2, 1)).toBe(false);
    line("512x512", "opencv_remap_bgr", 1.6, 8, 6);
    line("1280x720", "opencv_remap_i420", 6, 4);
    line("1920x1080", "opencv_remap_i420", 17, 7.9, 8);
    expect(rows.map((row) => [row.value, row.atLeast, holds(row)])).toEqual([
      [8, 6, true],
      [4, undefined, true],
      [7.9, 8, false],
    ]);
  });

  it("sets the encoder beside x264 superfast of the same frames", () => {
    const { rows, take } = collectRows();
    for (const line of [
      "512x512, 250 frames, 5 rounds",
      "                               ms/frame   ratio    kbit/s  PSNR dB",
      "  visavis                           1.31    1.00       900     46.1",
      "  libx264 ultrafast CRF 23          1.30    0.99       900     46.1",
      "  libx264 superfast CRF 23          2.50    1.91       402     46.1",
    ])
      expect(take("encode", line)).toBe(false);
    expect(rows).toEqual([
      { name: "encode 512x512: a frame", value: 1.31, unit: "ms", peer: "x264 superfast", peerValue: 2.5 },
    ]);
  });

  it("takes rows as programs print them, and a figure that is none for missed", () => {
    const { rows, take } = collectRows();
    expect(take("stage", '{"row":"stage","name":"a stage","value":35.3,"unit":"%","atMost":100}')).toBe(true);
    expect(take("net", '{"row":"net","name":"hits","value":null,"atLeast":85}')).toBe(true);
    expect(rows.map(holds)).toEqual([true, false]);
    const table = floorsTable(rows);
    expect(table).toMatch(/a stage +35\.3 % +≤ 100 +met/);
    expect(table).toMatch(/hits +none +≥ 85 +MISSED/);
  });

  it("misses a part that gave no figure with a floor", () => {
    const { rows, take, ended } = collectRows();
    take("stage", '{"row":"stage","name":"a stage","value":35.3,"unit":"%","atMost":100}');
    take("warp", '{"contender":"opencv_remap_bgr","size":"9x9","framing":"f","times_faster":8}');
    ended("stage");
    ended("warp");
    expect(rows.map(({ name }) => name)).toEqual([
      "a stage",
      "warp 9x9, f: times faster than opencv remap bgr",
      "warp: figures with a floor",
    ]);
    expect(rows.map(holds)).toEqual([true, true, false]);
  });
});

describe("words of npm run bench", () => {
  const parts = ["warp", "encode", "stage"];

  it("pick parts, in the parts' order; none picks them all", () => {
    expect(chosenParts(["stage", "warp"], parts)).toEqual(["warp", "stage"]);
    expect(chosenParts(["encode"], parts)).toEqual(["encode"]);
    expect(chosenParts([], parts)).toEqual(parts);
  });

  it("are refused where they name no part, with the parts", () => {
    expect(() => chosenParts(["warp", "wrap"], parts)).toThrow('no part "wrap": warp, encode, stage');
  });
});
