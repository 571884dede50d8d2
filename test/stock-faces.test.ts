// The stock faces that the boxes of a run share: whoever prepares them may fail, or be killed.

import { spawnSync } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { takeStockFaces } from "./harness/stock-faces.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "visavis-stock-faces-"));
  await mkdir(join(folder, "shared"));
  vi.stubEnv("VISAVIS_TEST_FACES", join(folder, "shared"));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true });
});

/** The state folder of a box that prepared a face. */
async function prepared(name: string): Promise<string> {
  const state = join(folder, name);
  await mkdir(join(state, "avatars/maya"), { recursive: true });
  await writeFile(join(state, "avatars/maya/avatar.json"), name);
  return state;
}

test("the first box prepares them, and all others take them over", async () => {
  const keep = await takeStockFaces(join(folder, "first"));
  const waiting = takeStockFaces(join(folder, "second"));
  await prepared("first");
  await keep?.(true);
  expect(await waiting).toBeUndefined();
  expect(await readFile(join(folder, "second/avatars/maya/avatar.json"), "utf8")).toBe("first");
});

test("where they could not be kept the next box prepares them", async () => {
  const keep = await takeStockFaces(join(folder, "first"));
  await expect(keep?.(true)).rejects.toThrow("ENOENT");
  await keep?.(false);
  const next = await takeStockFaces(join(folder, "second"));
  await prepared("second");
  await next?.(true);
  expect(await takeStockFaces(join(folder, "third"))).toBeUndefined();
});

test("a box takes over from a process that was killed, and one that was slower keeps the other's", async () => {
  const { pid } = spawnSync(process.execPath, ["-e", ""]);
  const claim = join(folder, "shared/being-prepared");
  await writeFile(claim, String(pid));
  const keep = await takeStockFaces(join(folder, "first"));
  expect(await readFile(claim, "utf8")).toBe(String(process.pid));
  await rm(claim);
  const other = await takeStockFaces(join(folder, "second"));
  for (const name of ["first", "second"]) await prepared(name);
  await keep?.(true);
  await other?.(true);
  expect(await takeStockFaces(join(folder, "third"))).toBeUndefined();
  expect(await readFile(join(folder, "third/avatars/maya/avatar.json"), "utf8")).toBe("first");
});
