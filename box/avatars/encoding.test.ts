// A face is ready before the MP4 of its loop is: what is told of it meanwhile, and what becomes of that MP4.

import { existsSync } from "node:fs";
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { AvatarError } from "./errors.ts";
import { ANN, blue, code, LibraryParty } from "../testing/library-party.ts";

let party: LibraryParty;
beforeEach(async () => {
  party = await LibraryParty.start();
});
afterEach(() => party.close());

/** From now on MP4s are begun and wait for the answer to be called. */
function holdEncodings(): { begun: string[]; release(): void } {
  const { promise, resolve } = Promise.withResolvers<void>();
  const begun: string[] = [];
  const { clip } = party.media;
  party.media.clip = async (request) => {
    begun.push(request.outPath);
    request.signal?.throwIfAborted();
    const calledOff = new Promise<never>((_, reject) => {
      request.signal?.addEventListener("abort", () => reject(new Error("It was called off.")));
    });
    await Promise.race([promise, calledOff]);
    return clip.call(party.media, request);
  };
  return {
    begun,
    release: () => {
      party.media.clip = clip;
      resolve();
    },
  };
}

test("a face is shown, listed and archived while its MP4 is made, and the MP4 follows", async () => {
  const encodings = holdEncodings();
  const { avatar: id } = await party.library.create(party.photo());
  const entry = await party.library.ready(ANN, id);
  expect(entry).toMatchObject({ status: "ready", clips: [{ state: "generating", duration_s: null }] });
  expect([...party.library.loops(ANN, id).keys()]).toEqual(["neutral"]);
  expect(party.library.list(ANN)).toMatchObject({ preparing: [], avatars: expect.arrayContaining([id]) });
  const now = party.library.list(ANN).builds[id];
  expect(now).toMatchObject({ state: "ready", step: "clips", finished_at: null });
  expect(party.library.videos(ANN).videos.find((video) => video.id === id)?.status).toBe("ready");
  expect(() => party.library.clipFile(ANN, id)).toThrow(expect.objectContaining({ code: "clip_not_found" }));
  expect(await code(party.library.retry(ANN, id, "neutral"))).toBe("clip_already_generating");
  const early = await party.library.archivable(ANN, id);
  expect(early?.files.map(({ filename }) => filename)).toEqual(["source.jpg", "still.jpg"]);
  await party.library.markArchived(id, early?.builds ?? []);
  expect(party.moved.filter(([avatar]) => avatar === id)).toEqual([]);
  encodings.release();
  expect((await party.library.finished(ANN, id))?.clips).toMatchObject([{ tone: "neutral", frames: 200 }]);
  expect(party.library.clips(ANN, id).clips).toMatchObject([{ state: "generated", duration_s: 8 }]);
  expect(party.library.clipFile(ANN, id)).toBe(join(entry.dir, "clip.mp4"));
  expect(party.moved.filter(([avatar]) => avatar === id)).toEqual([[id, "neutral", "generated"]]);
  expect(party.library.list(ANN).builds[id]).toMatchObject({ step: "done", progress: 1 });
  const late = await party.library.archivable(ANN, id);
  expect(late?.files.map(({ filename }) => filename)).toEqual(["neutral.mp4"]);
  expect((await party.recordOf(id)).clips?.neutral).not.toHaveProperty("unencoded");
});

test("an MP4 that the box stopped in is made at the next start, of the very same loop", async () => {
  const encodings = holdEncodings();
  const { avatar: id } = await party.library.create(party.photo());
  const { dir } = await party.library.ready(ANN, id);
  await expect.poll(() => encodings.begun.length).toBe(1);
  const killed = await party.recordOf(id);
  expect(killed).toMatchObject({ status: "ready", clips: { neutral: { state: "generating", begun: 1 } } });
  await party.library.close();
  // Told to end it may be begun again; killed it leaves its record and half a file as they were.
  expect((await party.recordOf(id)).clips?.neutral).toMatchObject({ state: "generating", begun: 0 });
  encodings.release();
  await party.saveRecord(killed);
  await writeFile(join(dir, "clip.mp4.part"), "half");
  party.tools.rendered.length = 0;
  await party.open();
  expect(party.library.resolve(ANN, id)).toMatchObject({ status: "ready", dir });
  await party.library.finished(ANN, id);
  expect(party.states(id)).toEqual({ neutral: "generated" });
  expect(party.tools.rendered).toEqual([]);
  expect((await readdir(dir)).toSorted()).toEqual(["clip.mp4", "loop.i420", "preview.jpg", "rig.vvr"]);
});

test("an MP4 that stops the box twice fails, and the face stays", async () => {
  const encodings = holdEncodings();
  const { avatar: id } = await party.library.create(party.photo());
  await expect.poll(() => encodings.begun.length).toBe(1);
  const killed = await party.recordOf(id);
  await party.library.close();
  const { neutral } = killed.clips ?? {};
  if (!neutral) throw new Error("There is no clip.");
  await party.saveRecord({ ...killed, clips: { neutral: { ...neutral, begun: 2 } } });
  const dir = join(party.folder(id), killed.build ?? "");
  await writeFile(join(dir, "clip.mp4.part"), "half");
  await party.open();
  await party.library.finished(ANN, id);
  expect((await readdir(dir)).toSorted()).toEqual(["loop.i420", "preview.jpg", "rig.vvr"]);
  expect(party.library.resolve(ANN, id)?.status).toBe("ready");
  expect(party.library.clips(ANN, id).clips).toMatchObject([
    { state: "failed", detail: expect.stringContaining("stopped") },
  ]);
  encodings.release();
  await party.library.retry(ANN, id, "neutral");
  await party.library.finished(ANN, id);
  expect(party.states(id)).toEqual({ neutral: "generated" });
});

test("an upload that is refused after the MP4 of the one before was made leaves a build that is over", async () => {
  const encodings = holdEncodings();
  const { avatar: id } = await party.library.create(party.photo());
  await party.library.ready(ANN, id);
  await expect.poll(() => encodings.begun.length).toBe(1);
  const looked = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const { photo } = party.media;
  party.media.photo = async () => {
    looked.resolve();
    await gate.promise;
    throw new AvatarError("no_face", "There is no face.");
  };
  const again = code(party.library.create(party.photo({ bytes: blue })));
  await looked.promise;
  party.media.photo = photo;
  encodings.release();
  await expect.poll(() => party.states(id)).toEqual({ neutral: "generated" });
  gate.resolve();
  expect(await again).toBe("no_face");
  const report = { state: "ready", step: "done", progress: 1, finished_at: expect.any(Number) };
  expect(party.library.list(ANN).builds[id]).toMatchObject(report);
});

test("an avatar deleted, or uploaded again, while its MP4 is made takes that with it", async () => {
  const encodings = holdEncodings();
  const first = (await party.library.create(party.photo())).avatar;
  const waiting = (await party.library.create(party.photo({ filename: "b.png" }))).avatar;
  for (const id of [first, waiting]) await party.library.ready(ANN, id);
  await expect.poll(() => encodings.begun.length).toBe(1);
  await party.library.delete(ANN, first);
  expect(existsSync(party.folder(first))).toBe(false);
  await expect.poll(() => encodings.begun.length).toBe(2);
  const { dir } = await party.library.ready(ANN, waiting);
  expect((await party.library.create(party.photo({ filename: "b.png", bytes: blue }))).avatar).toBe(waiting);
  await expect.poll(() => encodings.begun.length).toBe(3);
  expect(encodings.begun.map((path) => path.startsWith(dir))).toEqual([false, true, false]);
  encodings.release();
  await party.library.finished(ANN, waiting);
  expect(party.states(waiting)).toEqual({ neutral: "generated" });
  expect(party.moved.filter(([avatar]) => avatar === first)).toEqual([]);
});

test("an upload is built while another face's MP4, or a tone that nobody asked for, is being made", async () => {
  const encodings = holdEncodings();
  const first = (await party.library.create(party.photo())).avatar;
  await party.library.ready(ANN, first);
  await expect.poll(() => encodings.begun.length).toBe(1);
  const second = (await party.library.create(party.photo({ filename: "b.png" }))).avatar;
  expect((await party.library.ready(ANN, second)).status).toBe("ready");
  encodings.release();
  for (const id of [first, second]) await party.library.finished(ANN, id);

  const builder = party.tools.builder;
  const warm = Promise.withResolvers<void>();
  const rendering: string[] = [];
  await party.reopen({
    stockTones: true,
    builder: async (options) => {
      rendering.push(options.tone ?? "");
      if (options.tone === "warm") await warm.promise;
      return builder(options);
    },
  });
  await expect.poll(() => rendering).toEqual(["warm"]);
  const third = (await party.library.create(party.photo({ filename: "c.png", tones: "sad" }))).avatar;
  expect((await party.library.ready(ANN, third)).status).toBe("ready");
  // Its own tone waits for its turn.
  expect(rendering).toEqual(["warm", "neutral"]);
  warm.resolve();
  await party.library.finished(ANN, third);
  expect(rendering.slice(0, 3)).toEqual(["warm", "neutral", "sad"]);
  expect(await readFile(party.library.clipFile(ANN, third, "sad"), "utf8")).toContain("ftypisom");
});
