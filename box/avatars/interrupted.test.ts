// What a start, a deletion and a second wish make of builds that are under way, waiting, or gone wrong.

import { existsSync } from "node:fs";
import { mkdir, readdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { ANN, blue, code, grey, LibraryParty } from "../testing/library-party.ts";
import type { ClipGenerator } from "./clips/generator.ts";
import type { AvatarRecord, ClipRecord } from "./record.ts";

let party: LibraryParty;
beforeEach(async () => {
  party = await LibraryParty.start();
});
afterEach(() => party.close());

async function clipOf(id: string, tone: "neutral" | "happy"): Promise<[AvatarRecord, ClipRecord]> {
  const record = await party.recordOf(id);
  const clip = record.clips?.[tone];
  if (!clip) throw new Error("There is no clip.");
  return [record, clip];
}

test("a clip asked for while its avatar is uploaded again is refused, and nothing stays claimed", async () => {
  const id = await party.made(party.photo({ tones: "happy" }));
  const checked = Promise.withResolvers<boolean>();
  await party.reopen({ checkConsent: () => checked.promise });
  const again = party.library.create(party.photo({ tones: "happy" }));
  expect(await code(party.library.retry(ANN, id, "happy"))).toBe("avatar_busy");
  expect(await code(party.library.retry(ANN, id, "neutral"))).toBe("avatar_busy");
  checked.resolve(true);
  await again;
  await party.library.finished(ANN, id);
  expect(party.states(id)).toEqual({ neutral: "generated", happy: "generated" });
  expect(await party.library.erase(ANN, id, Math.ceil(Date.now() / 1000))).toBe(true);
});

test("an upload that cannot be kept leaves no claim of its tones", async () => {
  const { AvatarStore } = await import("./store.ts");
  const { save } = AvatarStore.prototype;
  AvatarStore.prototype.save = () => Promise.reject(Object.assign(new Error("x"), { code: "ENOSPC" }));
  expect(await code(party.library.create(party.photo({ tones: "happy" })))).toBe("storage_full");
  AvatarStore.prototype.save = save;
  const id = await party.made(party.photo({ tones: "happy" }));
  expect(party.states(id)).toEqual({ neutral: "generated", happy: "generated" });
});

test("an avatar whose build only waits is deleted at once, and one being built is off the disk's list first", async () => {
  const release = party.tools.hold();
  const built = (await party.library.create(party.photo())).avatar;
  const waiting = (await party.library.create(party.photo({ filename: "b.png", tones: "sad" }))).avatar;
  await expect.poll(() => party.tools.rendered.length).toBeGreaterThan(2);
  await party.library.delete(ANN, waiting);
  expect(existsSync(party.folder(waiting))).toBe(false);
  const deleted = party.library.delete(ANN, built);
  // A box that is killed now does not bring it back.
  await expect.poll(() => existsSync(join(party.folder(built), "avatar.json"))).toBe(false);
  expect(existsSync(party.folder(built))).toBe(true);
  expect(await code(party.library.create(party.photo()))).toBe("avatar_busy");
  release();
  await deleted;
  expect(existsSync(party.folder(built))).toBe(false);
  await party.made(party.photo());
});

test("a session keeps to the photograph it began with", async () => {
  const id = await party.made(party.photo({ tones: "happy" }));
  const { madeAt } = party.library.resolve(ANN, id) ?? {};
  expect([...party.library.loops(ANN, id, madeAt).keys()]).toEqual(["neutral", "happy"]);
  expect([...party.library.loops(ANN, id, (madeAt ?? 0) - 1).keys()]).toEqual([]);
});

test("a base build that stops the box twice fails, and is not begun a third time", async () => {
  const id = await party.made(party.photo());
  const record = await party.recordOf(id);
  for (const [begun, status] of [
    [1, "ready"],
    [2, "failed"],
  ] as const) {
    await party.library.close();
    await party.saveRecord({ ...record, status: "preparing", build: null, begun });
    await party.open();
    await party.library.finished(ANN, id);
    expect(party.library.resolve(ANN, id)).toMatchObject({ status });
  }
  expect(party.library.resolve(ANN, id)?.detail).toContain("twice");
  // That a build has begun is on the disk before anything can go wrong with it.
  const release = party.tools.hold();
  const other = (await party.library.create(party.photo({ filename: "b.png" }))).avatar;
  await expect.poll(async () => (await party.recordOf(other)).begun).toBe(1);
  release();
  await party.library.finished(ANN, other);
  expect((await party.recordOf(other)).begun).toBe(0);
});

test("a ready avatar stays ready while its base clip is made anew, and when that fails", async () => {
  const id = await party.made(party.photo({ tones: "happy" }));
  const release = party.tools.hold();
  party.tools.faults.set("neutral", new Error("The lips could not be found."));
  await party.library.retry(ANN, id, "neutral");
  expect((await party.library.ready(ANN, id)).status).toBe("ready");
  expect([...party.library.loops(ANN, id).keys()]).toEqual(["neutral", "happy"]);
  expect(party.states(id).neutral).toBe("generating");
  expect(party.library.list(ANN).builds[id]).toMatchObject({
    state: "ready",
    step: "clips",
    finished_at: null,
  });
  release();
  await party.library.finished(ANN, id);
  expect(party.states(id)).toEqual({ neutral: "failed", happy: "generated" });
  expect((await party.library.ready(ANN, id)).detail).toBe("");
  expect(party.library.list(ANN).builds[id]).toMatchObject({ state: "ready", step: "done" });
  party.tools.faults.clear();
  const [record, clip] = await clipOf(id, "neutral");
  await party.library.close();
  await party.saveRecord({
    ...record,
    clips: { ...record.clips, neutral: { ...clip, state: "generating" } },
  });
  await party.open();
  await party.library.finished(ANN, id);
  expect(party.states(id).neutral).toBe("generated");
});

test("the base clip is made anew while another tone is built", async () => {
  const id = await party.made(party.photo({ tones: "happy" }));
  const release = party.tools.hold();
  await party.library.retry(ANN, id, "happy");
  await party.library.retry(ANN, id, "neutral");
  expect(await code(party.library.retry(ANN, id, "neutral"))).toBe("clip_already_generating");
  release();
  await party.library.finished(ANN, id);
  expect(party.states(id)).toEqual({ neutral: "generated", happy: "generated" });
});

test("nobody is paid for the tones of an avatar that failed; asking again builds it first", async () => {
  const asked: string[] = [];
  const generator: ClipGenerator = {
    reachable: () => Promise.resolve(true),
    async generate({ tone, folder }) {
      asked.push(tone);
      const path = join(folder, "fresh.tmp");
      await writeFile(path, "clip");
      return path;
    },
  };
  const faults: unknown[] = [];
  await party.reopen({ generator, onFault: (error) => faults.push(error) });
  party.tools.faults.set("neutral", new Error("The lips could not be found."));
  const id = await party.made(party.photo({ tones: "happy" }));
  const detail = "The lips could not be found.";
  expect(party.library.clips(ANN, id).clips[1]).toMatchObject({ tone: "happy", state: "failed", detail });
  expect([asked, faults]).toEqual([[], []]);
  party.tools.faults.clear();
  await party.library.retry(ANN, id, "happy");
  expect(party.library.list(ANN).builds[id]).toMatchObject({ state: "preparing" });
  await party.library.finished(ANN, id);
  expect(party.states(id)).toEqual({ neutral: "generated", happy: "generated" });
  expect(asked).toEqual(["happy"]);
});

test("a take's tone that the box was killed in is built once more, and then asks for another upload", async () => {
  const id = await party.made(await party.video({ takes: [await party.take("happy")] }));
  for (const [begun, state] of [
    [1, "generated"],
    [2, "failed"],
  ] as const) {
    const [record, clip] = await clipOf(id, "happy");
    await party.library.close();
    const happy: ClipRecord = { ...clip, state: "generating", build: null, begun };
    await party.saveRecord({ ...record, clips: { ...record.clips, happy } });
    await party.open();
    await party.library.finished(ANN, id);
    expect(party.states(id).happy).toBe(state);
  }
  expect(party.library.clips(ANN, id).clips[1]?.detail).toContain("Upload it again");
});

test("after a failed upload nothing of the one before stays but the face that may be on a screen", async () => {
  const id = await party.made(party.photo({ tones: "happy,sad" }));
  const { build } = await party.recordOf(id);
  party.tools.faults.set("", new Error("The lips could not be found."));
  await party.made(party.photo({ bytes: blue }));
  const { upload } = await party.recordOf(id);
  expect((await readdir(party.folder(id))).toSorted()).toEqual(["avatar.json", build, upload].toSorted());
});

test("a failed clip does not point to a build that is gone", async () => {
  const id = await party.made(party.photo({ tones: "happy" }));
  const [record, clip] = await clipOf(id, "happy");
  await party.library.close();
  await party.saveRecord({
    ...record,
    clips: { ...record.clips, happy: { ...clip, state: "failed", version: clip.version - 1 } },
  });
  await party.open();
  expect([...party.library.loops(ANN, id).keys()]).toEqual(["neutral"]);
});

test("a record that cannot be read keeps its avatar on the disk; a folder without one goes", async () => {
  const id = await party.made(party.photo());
  const record = await party.recordOf(id);
  await party.library.close();
  await party.saveRecord({ ...record, status: "resting" as AvatarRecord["status"] });
  await mkdir(party.folder("half-made"));
  const faults: unknown[] = [];
  await party.open({ onFault: (error) => faults.push(error) });
  expect(party.library.resolve(ANN, id)).toBeUndefined();
  expect(faults).toEqual([expect.objectContaining({ message: expect.stringContaining(id) })]);
  expect(existsSync(party.folder("half-made"))).toBe(false);
  await party.library.close();
  await party.saveRecord(record);
  await party.open();
  expect(party.library.resolve(ANN, id)?.status).toBe("ready");
});

test("a wish that could not be written down takes back only itself", async () => {
  const id = await party.made(party.photo({ tones: "happy" }));
  const { AvatarStore } = await import("./store.ts");
  const { save } = AvatarStore.prototype;
  AvatarStore.prototype.save = async function (record) {
    AvatarStore.prototype.save = save;
    // Something else moves while the disk says no.
    const noted = party.library.noteRegistry(id, "The library is full.");
    void noted;
    await Promise.resolve(record);
    throw Object.assign(new Error("x"), { code: "ENOSPC" });
  };
  expect(await code(party.library.retry(ANN, id, "sad"))).toBe("storage_full");
  expect(party.states(id)).toEqual({ neutral: "generated", happy: "generated" });
  expect((await party.recordOf(id)).registry_note).toBe("The library is full.");
  await party.library.retry(ANN, id, "sad");
});

test("whoever waits for clips when the library closes is told so", async () => {
  const release = party.tools.hold();
  const { avatar } = await party.library.create(party.photo({ tones: "happy" }));
  const finished = party.library.finished(ANN, avatar);
  const closed = party.library.close();
  expect((await finished)?.failure).toMatchObject({ code: "library_closed" });
  release();
  await closed;
});

test("a clip that failed is told of in place of a whole answer", async () => {
  party.tools.faults.set("happy", new Error("The lips could not be found."));
  const id = await party.made(party.photo({ tones: "happy", bytes: grey }));
  const finished = await party.library.finished(ANN, id);
  expect(finished?.failure).toMatchObject({ code: "clip_failed", message: expect.stringContaining("happy") });
});
