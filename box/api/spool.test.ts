// Uploads that come at once: each holds a part of the disk, so there are only so many.

import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { Spool } from "./spool.ts";

let stateDir: string;
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "visavis-spool-"));
});
afterEach(() => rm(stateDir, { recursive: true }));

test("of twenty at once most are refused before anything is written, and the next finds room again", async () => {
  const gate = Promise.withResolvers<void>();
  const asked = Array.from({ length: 20 }, () => Spool.use(stateDir, () => gate.promise));
  const settled = Promise.allSettled(asked);
  await expect.poll(() => readdir(join(stateDir, "incoming")).catch(() => [])).toHaveLength(4);
  gate.resolve();
  const refused = (await settled).filter((result) => result.status === "rejected");
  expect(refused).toHaveLength(16);
  for (const { reason } of refused)
    expect(reason).toMatchObject({ code: "too_many_builds", headers: { "Retry-After": "10" } });
  const failing = () => Promise.reject(new Error("It went wrong."));
  for (let count = 0; count < 5; count++)
    await expect(Spool.use(stateDir, failing)).rejects.toThrow("It went wrong.");
  expect(await Spool.use(stateDir, () => Promise.resolve("room"))).toBe("room");
});
