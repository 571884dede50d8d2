import { existsSync } from "node:fs";
import { copyFile, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Clip } from "../../contract/clips.ts";
import { videoOf } from "../testing/avatar-tools.ts";
import { ANN, BEN, blue, code, grey, LibraryParty } from "../testing/library-party.ts";
import type { ClipGenerator } from "./clips/generator.ts";
import type { AvatarRecord } from "./record.ts";

let party: LibraryParty;
beforeEach(async () => {
  party = await LibraryParty.start();
});
afterEach(() => party.close());

test("a clip is built again for whoever is on record as having agreed", async () => {
  const id = await party.made(party.photo());
  const refused = async (account: string, avatar: string, tone: string) =>
    code(party.library.retry(account, avatar, tone));
  expect(await refused(BEN, id, "angry")).toBe("unknown_avatar");
  expect(await refused(ANN, "maya", "happy")).toBe("unknown_avatar");
  expect(await refused(ANN, id, "angry")).toBe("unknown_tone");
  const release = party.tools.hold();
  expect(await party.library.retry(ANN, id, "happy")).toEqual({
    avatar: id,
    tone: "happy",
    variant_id: `${id}__happy`,
    state: "generating",
  });
  expect(await refused(ANN, id, "happy")).toBe("clip_already_generating");
  expect((await party.library.retry(ANN, `${id}__happy`, "sad")).variant_id).toBe(`${id}__sad`);
  expect(party.states(id)).toEqual({ neutral: "generated", happy: "generating", sad: "generating" });
  expect(party.library.list(ANN).builds[id]).toMatchObject({
    state: "ready",
    step: "clips",
    finished_at: null,
  });
  release();
  await party.library.finished(ANN, id);
  expect(party.states(id)).toMatchObject({ happy: "generated", sad: "generated" });
  const before = party.library.loops(ANN, id).get("happy");
  await party.library.retry(ANN, id, "happy");
  // What there was is shown until the next is there.
  expect(party.library.loops(ANN, id).get("happy")).toBe(before);
  await party.library.finished(ANN, id);
  expect(party.library.loops(ANN, id).get("happy")).not.toBe(before);
  await party.library.retry(ANN, id, "neutral");
  await party.library.ready(ANN, id);
  expect([...party.library.loops(ANN, id).keys()]).toEqual(["neutral", "happy", "sad"]);
});

test("a photograph that is gone, or is another one now, is not the one that was agreed to", async () => {
  const id = await party.made(party.photo());
  const { upload = "", original } = await party.recordOf(id);
  const path = join(party.folder(id), upload, original?.file ?? "");
  expect(await readFile(path)).toEqual(grey);
  await writeFile(path, blue);
  expect(await code(party.library.retry(ANN, id, "happy"))).toBe("consent_required");
  await rm(path);
  expect(await code(party.library.retry(ANN, id, "happy"))).toBe("consent_required");
  await writeFile(path, grey);
  expect(await party.library.retry(ANN, id, "happy")).toMatchObject({ state: "generating" });
});

test("an agreement that could not be checked is checked when a clip is asked for", async () => {
  party.agreed = new Error("fetch failed");
  const id = await party.made(party.photo());
  expect(await code(party.library.retry(ANN, id, "happy"))).toBe("consents_unavailable");
  party.agreed = false;
  expect(await code(party.library.retry(ANN, id, "happy"))).toBe("consent_required");
  party.agreed = true;
  await party.library.retry(ANN, id, "happy");
  party.agreed = new Error("not asked again");
  await party.library.retry(ANN, id, "sad");
});

test("a tone that fails says why, and takes neither the avatar nor the other tones with it", async () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  party.tools.faults.set("happy", full);
  party.tools.faults.set("sad", new Error("The lips could not be found."));
  const id = await party.made(party.photo({ tones: "happy,sad,warm" }));
  const clips = new Map(party.library.clips(ANN, id).clips.map((clip): [string, Clip] => [clip.tone, clip]));
  expect(clips.get("happy")).toMatchObject({
    state: "failed",
    detail: expect.stringContaining("disk"),
    duration_s: null,
  });
  expect(clips.get("sad")).toMatchObject({ state: "failed", detail: "The lips could not be found." });
  expect([clips.get("warm")?.state, clips.get("neutral")?.state]).toEqual(["generated", "generated"]);
  expect([...party.library.loops(ANN, id).keys()]).toEqual(["neutral", "warm"]);
  expect(await party.builds(id)).toHaveLength(2);
  party.tools.faults.clear();
  await party.library.retry(ANN, id, "happy");
  await party.library.finished(ANN, id);
  expect(party.states(id)).toMatchObject({ happy: "generated", sad: "failed" });
});

test("an avatar lives without the MP4 of its base clip", async () => {
  party.media.clip = () => Promise.reject(Object.assign(new Error("x"), { code: "ENOSPC" }));
  const id = await party.made(party.photo());
  expect(party.library.resolve(ANN, id)?.status).toBe("ready");
  expect(party.library.clips(ANN, id).clips).toMatchObject([
    { state: "failed", detail: expect.stringContaining("disk") },
  ]);
  expect(() => party.library.clipFile(ANN, id)).toThrow(expect.objectContaining({ code: "clip_not_found" }));
});

test("an avatar is deleted while it is built, and nothing of it stays or comes back", async () => {
  party.tools.hold();
  const { avatar } = await party.library.create(await party.video({ takes: [await party.take("happy")] }));
  await expect.poll(() => party.tools.tracked.length).toBe(1);
  expect(await party.library.delete(ANN, avatar)).toEqual({ deleted: avatar, active: "maya" });
  expect(existsSync(party.folder(avatar))).toBe(false);
  expect(party.library.list(ANN).builds[avatar]).toBeUndefined();
  expect(party.moved.filter(([id]) => id === avatar)).toEqual([]);
});

test("a start fails the clip it may have died of, builds those that waited, and clears what is half made", async () => {
  const id = await party.made(party.photo({ tones: "happy,sad,warm" }));
  const record = await party.recordOf(id);
  const { happy, sad, warm } = record.clips ?? {};
  if (!happy || !sad || !warm) throw new Error("There are no clips.");
  await party.library.close();
  await party.saveRecord({
    ...record,
    clips: {
      ...record.clips,
      happy: { ...happy, state: "generating", begun: 1 },
      sad: { ...sad, state: "generating", build: null },
      warm: { ...warm, version: 1 },
    },
  });
  await copyFile(join(party.folder(id), "avatar.json"), join(party.folder(id), "avatar.json.x.tmp"));
  party.tools.rendered.length = 0;
  await party.open();
  expect(party.states(id)).toMatchObject({ happy: "failed", sad: "generating", warm: "generating" });
  // A clip that was there before is still there; one of another version of the preparation is not.
  expect([...party.library.loops(ANN, id).keys()]).toEqual(["neutral", "happy"]);
  const [, , begun] = party.library.clips(ANN, id).clips;
  expect(begun).toMatchObject({ tone: "happy", detail: expect.stringContaining("box stopped") });
  await party.library.finished(ANN, id);
  expect(party.states(id)).toMatchObject({ happy: "failed", sad: "generated", warm: "generated" });
  expect(party.tools.rendered.toSorted()).toEqual(["sad", "warm"]);
  expect((await readdir(party.folder(id))).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(await party.builds(id)).toHaveLength(4);
});

test("tones that waited when the library closed are built when it opens again", async () => {
  const release = party.tools.hold();
  const { avatar } = await party.library.create(party.photo({ tones: "happy,sad" }));
  await expect.poll(() => party.tools.rendered.at(-1)).toBe("neutral");
  const closed = party.library.close();
  release();
  await closed;
  await party.open();
  await party.library.finished(ANN, avatar);
  expect(party.states(avatar)).toEqual({ neutral: "generated", happy: "generated", sad: "generated" });
});

test("an upload that finds the disk full leaves nothing, and what was there before", async () => {
  const id = await party.made(party.photo({ tones: "happy" }));
  const before = (await readdir(party.folder(id))).toSorted();
  const { AvatarStore } = await import("./store.ts");
  const { save } = AvatarStore.prototype;
  AvatarStore.prototype.save = () =>
    Promise.reject(Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" }));
  try {
    expect(await code(party.library.create(party.photo({ bytes: blue })))).toBe("storage_full");
    expect(await code(party.library.create(party.photo({ filename: "new.png" })))).toBe("storage_full");
    expect(await code(party.library.retry(ANN, id, "sad"))).toBe("storage_full");
  } finally {
    AvatarStore.prototype.save = save;
  }
  expect((await readdir(party.folder(id))).toSorted()).toEqual(before);
  expect(party.library.owned()).toHaveLength(1);
  expect(party.states(id)).toEqual({ neutral: "generated", happy: "generated" });
  await party.library.retry(ANN, id, "sad");
});

test("an avatar from before there were tones is still served, and can be built again", async () => {
  const id = await party.made(party.photo());
  const record = await party.recordOf(id);
  const upload = join(party.folder(id), record.upload ?? "");
  await party.library.close();
  await copyFile(join(upload, "source.jpg"), join(party.folder(id), "source.jpg"));
  await rm(upload, { recursive: true });
  const { upload: _, original: __, consent: ___, clips: ____, kind: _____, ...old } = record;
  await party.saveRecord({ ...old, version: 1 } as AvatarRecord);
  await party.open();
  await party.library.finished(ANN, id);
  expect((await party.library.ready(ANN, id)).clips).toMatchObject([{ tone: "neutral", state: "generated" }]);
  expect(await code(party.library.retry(ANN, id, "happy"))).toBe("consent_required");
});

test("clips of a generator are paid for once, and nobody is asked that cannot be reached", async () => {
  const asked: string[] = [];
  let reachable = true;
  const generator: ClipGenerator = {
    reachable: () => Promise.resolve(reachable),
    async generate({ tone, still, amplitude, folder: into }) {
      asked.push(`${tone} ${amplitude} ${still[0]?.toString(16)}`);
      const path = join(into, "fresh.tmp");
      await writeFile(path, videoOf(tone));
      return path;
    },
  };
  await party.reopen({ generator });
  const id = await party.made(party.photo({ tones: "happy", gestureAmplitude: 0.25 }));
  expect(asked).toEqual(["happy 0.25 ff"]);
  expect((await party.library.finished(ANN, id))?.clips).toMatchObject([
    { template: "motion" },
    { template: "http" },
  ]);
  reachable = false;
  expect(await code(party.library.retry(ANN, id, "sad"))).toBe("clip_generator_unavailable");
  expect(party.states(id)).toEqual({ neutral: "generated", happy: "generated" });
  const record = await party.recordOf(id);
  await party.library.close();
  const happy = record.clips?.happy;
  if (!happy) throw new Error("There is no clip.");
  await party.saveRecord({ ...record, clips: { ...record.clips, happy: { ...happy, version: 1 } } });
  await party.open({ generator });
  await party.library.finished(ANN, id);
  expect(party.states(id).happy).toBe("generated");
  expect(party.tools.tracked.at(-1)).toEqual(["generated__happy.mp4"]);
  expect(asked).toHaveLength(1);
  reachable = true;
  await party.library.retry(ANN, id, "happy");
  await party.library.finished(ANN, id);
  expect(asked).toHaveLength(2);
});
