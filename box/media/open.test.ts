import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Writable } from "node:stream";
import { expect, test } from "vitest";
import { Refusal } from "../failure.ts";
import { createLog } from "../ops/log.ts";
import { clearLeftovers, makeWorkFolder } from "./leftovers.ts";
import { MediaError } from "./media.ts";
import { openMedia } from "./open.ts";

test("without the programs every call says which is missing, and the log says it once", async () => {
  const lines: string[] = [];
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      lines.push(chunk.toString());
      done();
    },
  });
  const media = openMedia({ log: createLog("info", destination), programs: ["/nowhere"] });
  for (const call of [() => media.facts("/x"), () => media.photo(new Uint8Array(1))]) {
    const error = await call().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).not.toBeInstanceOf(MediaError);
    expect(error).toBeInstanceOf(Refusal);
    expect(error).toMatchObject({
      code: "feature_disabled",
      message: expect.stringContaining("ffmpeg, ffprobe"),
    });
  }
  expect(lines).toHaveLength(1);
  await media.close();
});

test("working folders of processes that ended are cleared, those of others stay", async () => {
  const parent = await mkdtemp(join(tmpdir(), "visavis-leftovers-"));
  try {
    const ended = spawnSync("true").pid;
    const left = join(parent, `visavis-media-${ended}-abcdef`);
    const unrelated = join(parent, "visavis-media-notes");
    await Promise.all([mkdir(left), mkdir(unrelated)]);
    const own = await makeWorkFolder(parent);
    await clearLeftovers(parent);
    expect([left, unrelated, own].map((path) => existsSync(path))).toEqual([false, true, true]);
    await clearLeftovers(join(parent, "nowhere"));
  } finally {
    await rm(parent, { recursive: true });
  }
});
