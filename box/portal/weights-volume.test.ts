import { mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { keptWeightsVolume } from "./weights-volume.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "visavis-volume-"));
});
afterEach(() => rm(folder, { recursive: true }));

test("a volume keeps its name, and no two have the same", async () => {
  const name = await keptWeightsVolume(join(folder, "a", "b"));
  expect(name).toMatch(/^[0-9a-f-]{36}$/);
  expect(await keptWeightsVolume(join(folder, "a", "b"))).toBe(name);
  expect(await keptWeightsVolume(folder)).not.toBe(name);
  expect((await readdir(folder)).toSorted()).toEqual(["a", "weights-volume"]);
});

test("a name that a crash left half written is made anew", async () => {
  await writeFile(join(folder, "weights-volume"), "1234");
  const name = await keptWeightsVolume(folder);
  expect(name).toMatch(/^[0-9a-f-]{36}$/);
  expect(await keptWeightsVolume(folder)).toBe(name);
});
