import { describe, expect, it } from "vitest";
import { buildWords, formatBytes } from "./words.ts";

describe("formatBytes", () => {
  it.each([
    [999, "999 B"],
    [1400, "1.4 kB"],
    [23_900, "24 kB"],
    [1_400_000, "1.4 MB"],
    [210_000_000, "210 MB"],
  ])("%i → %s", (bytes, text) => expect(formatBytes(bytes)).toBe(text));
});

describe("buildWords", () => {
  const build = { step: "rig", progress: 0.42, detail: "", started_at: 1, finished_at: null } as const;
  it("tells how far a build is, or where it broke", () => {
    expect(buildWords({ ...build, state: "preparing" })).toMatch(/learning.*42 %/);
    expect(buildWords({ ...build, state: "failed" })).toMatch(/Failed while learning/);
    expect(buildWords({ ...build, state: "ready", step: "done" })).toBe("Finished");
  });
});
