import { mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { digest } from "../native/bench/held_clips.mjs";

test("clips are named after what the recordings hold, not after where they lie", () => {
  const under = mkdtempSync(join(tmpdir(), "visavis-recordings-"));
  try {
    const folder = join(under, "dev");
    for (const part of ["json", "flac"]) mkdirSync(join(folder, part), { recursive: true });
    writeFileSync(join(folder, "json/one.json"), '{"id":"one"}');
    writeFileSync(join(folder, "flac/one.flac"), "sound");
    const first = digest(folder);
    expect(first).not.toBe(digest());
    const moved = join(under, "moved");
    renameSync(folder, moved);
    expect(digest(moved)).toBe(first);
    writeFileSync(join(moved, "flac/one.flac"), "other");
    const second = digest(moved);
    expect(second).not.toBe(first);
    writeFileSync(join(moved, "json/two.json"), "{}");
    expect(digest(moved)).not.toBe(second);
  } finally {
    rmSync(under, { recursive: true });
  }
});
