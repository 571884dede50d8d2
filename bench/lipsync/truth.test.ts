import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test, vi } from "vitest";
import { root } from "../../test/harness/process.ts";
import { sampleRate, truthsOf } from "./truth.ts";

const under = mkdtempSync(join(tmpdir(), "visavis-truth-"));
afterEach(() => {
  vi.unstubAllEnvs();
  rmSync(under, { recursive: true });
});

test("a recording is aligned with its words, and nothing temporary stays behind", async () => {
  const scratch = join(under, "scratch");
  mkdirSync(scratch);
  vi.stubEnv("TMPDIR", scratch);
  const path = join(under, "beginning.wav");
  const whole = join(root, "test/data/jfk.wav");
  execFileSync("ffmpeg", ["-v", "error", "-i", whole, "-t", "2.2", path]);
  const text = "and so my fellow americans";
  const [clip] = await truthsOf([{ source: "recording", path, text }], join(under, "clips"));
  const phones = clip?.phones ?? [];
  expect(phones.map(({ name }) => name).join(" ")).toMatch(/m ay .*f eh l ow .*m eh r ah k ah n z/);
  expect(phones.at(-1)?.endSeconds).toBeCloseTo((clip?.samples.length ?? 0) / sampleRate, 0);
  expect(readdirSync(scratch)).toEqual([]);
});
