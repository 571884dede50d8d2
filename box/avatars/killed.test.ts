// A box that is killed while it builds: what the next one finds, and makes of it.

import { spawn } from "node:child_process";
import { mkdir, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, expect, test } from "vitest";
import { clearSpool, Spool } from "../api/spool.ts";
import { FakeTools, pictureOf, sameFace, videoOf } from "../testing/avatar-tools.ts";
import { FakeMediaFiles } from "../testing/fake-media-files.ts";
import { AvatarLibrary } from "./library.ts";

const ANN = "ann@example.com";
const program = fileURLToPath(new URL("../testing/library-process.ts", import.meta.url));

let stateDir: string;
beforeEach(async () => {
  stateDir = await mkdtemp(join(tmpdir(), "visavis-killed-"));
  const grey = await pictureOf("#888888");
  for (const name of ["maya", "theo", "me"]) await writeFile(join(stateDir, `${name}.png`), grey);
  await writeFile(join(stateDir, "me.mp4"), videoOf("me"));
});
afterEach(() => rm(stateDir, { recursive: true }));

/** Runs the library until it has said all of the words, and kills it. */
async function killedAfter(words: readonly string[]): Promise<void> {
  const child = spawn(
    process.execPath,
    [program, stateDir, join(stateDir, "me.png"), join(stateDir, "me.mp4")],
    {
      stdio: ["ignore", "pipe", "inherit"],
    },
  );
  const ended = new Promise<void>((resolve) => {
    child.once("close", () => resolve());
  });
  let said = "";
  for await (const chunk of child.stdout) {
    said += String(chunk);
    if (words.every((word) => said.includes(word))) child.kill("SIGKILL");
  }
  await ended;
  expect(said).toContain(words[0]);
}

test("nothing half made is served, no claim outlives the process, and what waited is built", async () => {
  await killedAfter(["building", "ready"]);
  const tools = new FakeTools();
  const library = await AvatarLibrary.open({
    stateDir,
    stockDir: stateDir,
    media: new FakeMediaFiles(),
    finder: sameFace,
    builder: tools.builder,
    footage: tools.footage,
  });
  try {
    const ids = library.owned().map(({ id }) => id);
    expect(ids).toHaveLength(2);
    for (const id of ids) await library.finished(ANN, id);
    const [photo, video] = library.owned().toSorted((a, b) => a.kind.localeCompare(b.kind));
    expect(video).toMatchObject({ kind: "video", status: "ready" });
    expect(photo?.clips.map(({ tone, state }) => [tone, state])).toEqual([
      ["neutral", "generated"],
      ["warm", "generated"],
      ["happy", "generated"],
      ["sad", "failed"],
    ]);
    expect(tools.rendered).not.toContain("happy");
    const folder = join(stateDir, "avatars", photo?.id ?? "");
    const names = await readdir(folder, { recursive: true });
    expect(names.filter((name) => name.endsWith(".tmp"))).toEqual([]);
    expect(names.filter((name) => /^build-[^/]+$/.test(name))).toHaveLength(3);
    // The claim is free, and the build that was cut off goes through now.
    await library.retry(ANN, photo?.id ?? "", "sad");
    await library.finished(ANN, photo?.id ?? "");
    expect([...library.loops(ANN, photo?.id ?? "").keys()]).toEqual(["neutral", "warm", "happy", "sad"]);
  } finally {
    await library.close();
  }
});

test("what requests had on the disk goes with the next start, and with the requests themselves", async () => {
  const left = join(stateDir, "incoming", "request-x");
  await mkdir(left, { recursive: true });
  await writeFile(join(left, "0"), "half a video");
  await clearSpool(stateDir);
  expect(await readdir(stateDir)).not.toContain("incoming");
  await expect(
    Spool.use(stateDir, () => {
      throw new Error("It went wrong.");
    }),
  ).rejects.toThrow("It went wrong.");
  expect(await readdir(join(stateDir, "incoming"))).toEqual([]);
});
