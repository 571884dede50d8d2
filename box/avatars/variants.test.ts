import { existsSync } from "node:fs";
import { copyFile, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { BuildReport } from "../../contract/avatars.ts";
import type { Clip } from "../../contract/clips.ts";
import { FakeTools, pictureOf, sameFace, videoOf } from "../testing/avatar-tools.ts";
import { FakeMediaFiles } from "../testing/fake-media-files.ts";
import type { ClipGenerator } from "./clips/generator.ts";
import { AvatarLibrary, type AvatarLibraryOptions, type CreateAvatarRequest } from "./library.ts";
import type { AvatarRecord } from "./record.ts";

const ANN = "ann@example.com";
const BEN = "ben@example.com";
const [grey, blue] = await Promise.all([pictureOf("#888888"), pictureOf("#4466aa")]);

let stateDir: string;
let library: AvatarLibrary;
let tools: FakeTools;
let media: FakeMediaFiles;
let agreed: boolean | Error;
const moved: [avatar: string, tone: string, state: string][] = [];
const reports: BuildReport[] = [];

beforeEach(async () => {
  [tools, media, agreed] = [new FakeTools(), new FakeMediaFiles(), true];
  moved.length = reports.length = 0;
  stateDir = await mkdtemp(join(tmpdir(), "visavis-variants-"));
  for (const name of ["maya", "theo"]) await writeFile(join(stateDir, `${name}.png`), grey);
  library = await openLibrary();
  await library.ready(null, "theo");
  await library.finished(ANN, "theo");
});
afterEach(async () => {
  await library.close();
  await rm(stateDir, { recursive: true });
});

const openLibrary = (options: Partial<AvatarLibraryOptions> = {}) =>
  AvatarLibrary.open({
    stateDir,
    media,
    stockDir: stateDir,
    finder: sameFace,
    builder: tools.builder,
    footage: tools.footage,
    checkConsent: () => (agreed instanceof Error ? Promise.reject(agreed) : Promise.resolve(agreed)),
    onClip: (avatar, { tone, state }) => moved.push([avatar, tone, state]),
    onProgress: (_, report) => reports.push(report),
    ...options,
  });

async function reopen(options: Partial<AvatarLibraryOptions> = {}): Promise<void> {
  await library.close();
  library = await openLibrary(options);
}

async function fileOf(name: string, content: string | Uint8Array): Promise<string> {
  const path = join(stateDir, name);
  await writeFile(path, content);
  return path;
}

const photo = (changes: Partial<CreateAvatarRequest> = {}): CreateAvatarRequest => ({
  owner: ANN,
  filename: "me.png",
  bytes: grey,
  consentToken: "c1",
  ...changes,
});

async function video(changes: Partial<CreateAvatarRequest> = {}): Promise<CreateAvatarRequest> {
  return { owner: ANN, filename: "me.mp4", path: await fileOf("upload.mp4", videoOf("me")), ...changes };
}

async function take(tone: "happy" | "sad" | "neutral", filename = `${tone}.webm`) {
  return { tone, filename, path: await fileOf(`take-${tone}-${filename}`, videoOf(tone)) };
}

async function made(request: CreateAvatarRequest): Promise<string> {
  const { avatar } = await library.create(request);
  await library.finished(ANN, avatar);
  return avatar;
}

const code = (action: Promise<unknown>): Promise<unknown> =>
  action.then(
    () => "nothing",
    (error: { code?: string }) => error.code ?? error,
  );
const folder = (id: string) => join(stateDir, "avatars", id);
const recordOf = async (id: string) =>
  JSON.parse(await readFile(join(folder(id), "avatar.json"), "utf8")) as AvatarRecord;
const saveRecord = (record: AvatarRecord) =>
  writeFile(join(folder(record.id), "avatar.json"), JSON.stringify(record));
const states = (id: string) =>
  Object.fromEntries(library.clips(ANN, id).clips.map(({ tone, state }) => [tone, state]));
const builds = async (id: string) => (await readdir(folder(id))).filter((name) => name.startsWith("build-"));

test("a photograph gets the tones it asks for, each a variant with its own loop and clip", async () => {
  const release = tools.hold();
  const created = await library.create(photo({ tones: "happy, neutral,sad" }));
  expect(created).toMatchObject({ tones: ["neutral", "happy", "sad"], note: "", status: "preparing" });
  const id = created.avatar;
  expect(states(id)).toEqual({ neutral: "generating", happy: "generating", sad: "generating" });
  expect(library.list(ANN).preparing).toEqual([id, `${id}__happy`, `${id}__sad`]);
  expect(library.resolve(ANN, `${id}__happy`)).toBeUndefined();
  expect(() => library.clipFile(ANN, id)).toThrow(expect.objectContaining({ code: "clip_not_found" }));
  release();
  const finished = await library.finished(ANN, id);
  expect(finished?.clips.map(({ tone, template, frames }) => [tone, template, frames])).toEqual([
    ["neutral", "motion", 200],
    ["happy", "motion", 200],
    ["sad", "motion", 200],
  ]);
  expect(tools.rendered.slice(-3)).toEqual(["neutral", "happy", "sad"]);
  const group = library.list(ANN).groups.find((candidate) => candidate.id === id);
  expect(group).toMatchObject({
    variants: [id, `${id}__happy`, `${id}__sad`],
    tones: ["neutral", "happy", "sad"],
    preview: id,
  });
  expect(library.list(ANN).avatars).toContain(`${id}__sad`);
  const loops = library.loops(ANN, id);
  expect([...loops.keys()]).toEqual(["neutral", "happy", "sad"]);
  for (const [tone, dir] of loops) {
    expect((await readdir(dir)).toSorted()).toEqual(["clip.mp4", "loop.i420", "preview.jpg", "rig.vvr"]);
    expect(await readFile(join(dir, "rig.vvr"), "utf8")).toBe(tone);
  }
  expect(library.clipFile(ANN, `${id}__sad`)).toBe(join(loops.get("sad") ?? "", "clip.mp4"));
  expect(library.clipFile(ANN, `${id}__sad`, "neutral")).toBe(join(loops.get("neutral") ?? "", "clip.mp4"));
  expect(library.clips(ANN, `${id}__sad`).avatar).toBe(id);
  expect(library.resolve(ANN, `${id}__sad`)?.id).toBe(id);
  for (const ask of [() => library.clips(BEN, id), () => library.clipFile(BEN, id)])
    expect(ask).toThrow(expect.objectContaining({ code: "unknown_avatar" }));
  expect(library.clips(ANN, id).clips[1]).toMatchObject({ variant_id: `${id}__happy`, duration_s: 8 });
  expect(moved.filter(([avatar]) => avatar === id)).toEqual([
    [id, "neutral", "generated"],
    [id, "happy", "generated"],
    [id, "sad", "generated"],
  ]);
  const last = reports.at(-1);
  expect(last).toMatchObject({ state: "ready", step: "done", progress: 1 });
  expect(last?.clips?.map(({ state }) => state)).toEqual(["generated", "generated", "generated"]);
  expect(reports.filter(({ step, state }) => step === "clips" && state === "ready")).toHaveLength(2);
});

test.each<[what: string, changes: Partial<CreateAvatarRequest>, agreed: boolean | Error, note: RegExp]>([
  ["no consent", { consentToken: "" }, true, /need a consent_token/],
  ["a consent that is not for these bytes", {}, false, /not an agreement to exactly/],
  ["a portal that does not answer", {}, new Error("fetch failed"), /could not be checked just now/],
])("with %s the avatar comes without its tones, and says why", async (_, changes, answer, note) => {
  agreed = answer;
  const created = await library.create(photo({ tones: "happy", ...changes }));
  expect(created.tones).toEqual(["neutral"]);
  expect(created.note).toMatch(note);
  await library.finished(ANN, created.avatar);
  expect(states(created.avatar)).toEqual({ neutral: "generated" });
  expect(await code(library.create(photo({ id: "mine", tones: "happy", strict: true, ...changes })))).toBe(
    answer instanceof Error ? "consents_unavailable" : "consent_required",
  );
  expect(existsSync(folder("mine"))).toBe(false);
});

test("where clips are off, what is only for them is neither needed nor looked at", async () => {
  await reopen({ offers: { photoCreation: true, clips: { kind: "none" } } });
  const ignored = { framing: "feet", gestureAmplitude: "7" };
  const created = await library.create(photo({ tones: "happy", ...ignored }));
  expect(created).toMatchObject({ tones: ["neutral"], note: expect.stringContaining("no emotion clips") });
  await library.finished(ANN, created.avatar);
  expect(await code(library.retry(ANN, created.avatar, "happy"))).toBe("avatar_clips_unavailable");
  const undeclared = await library.create(await video({ ...ignored, tones: "happy" }));
  expect(undeclared).toMatchObject({ tones: ["neutral"], note: expect.stringContaining("declared") });
  await reopen();
  for (const changes of [{ framing: "feet" }, { gestureAmplitude: "7" }, { tones: "happy,angry" }])
    expect(await code(library.create(photo(changes)))).toMatch(/^invalid_|unknown_tone/);
});

test("a video keeps its own motion, and has the tones that it has takes of", async () => {
  const takes = [await take("happy"), await take("sad", "sad.avi"), await take("happy", "b.MP4")];
  const created = await library.create(await video({ takes, tones: "happy,sad,warm" }));
  expect(created.tones).toEqual(["neutral", "happy"]);
  expect(created.note).toMatch(/no takes of sad, warm.*"sad\.avi" is not used/);
  const id = created.avatar;
  const finished = await library.finished(ANN, id);
  expect(finished?.clips.map(({ template, frames }) => [template, frames])).toEqual([
    ["footage", 75],
    ["footage", 75],
  ]);
  expect(tools.tracked).toEqual([["original.mp4"], ["take__happy__0.webm", "take__happy__1.mp4"]]);
  expect(existsSync(takes[0]?.path ?? "")).toBe(false);
  const [own] = library.owned();
  expect(own).toMatchObject({ kind: "video", crop: { crop: "bust", x: 70 / 400, h: 260 / 300 } });
  const archived = await library.archivable(ANN, id);
  expect(archived?.files.map(({ filename, content_type }) => [filename, content_type])).toEqual([
    ["source.mp4", "video/mp4"],
    ["still.jpg", "image/jpeg"],
    ["neutral.mp4", "video/mp4"],
    ["happy.mp4", "video/mp4"],
  ]);
  expect(library.videos(ANN).videos.filter(({ identity }) => identity === id)).toMatchObject([
    { id, kind: "video", bytes: videoOf("me").length, status: "ready", deletable: true },
    { id: `${id}__happy`, emotion: "happy", status: "ready" },
  ]);
  expect(await code(library.retry(ANN, id, "happy"))).toBe("consent_required");
});

test("a video that was made by AI gets its tones from its still", async () => {
  const id = await made(await video({ aiGenerated: true, tones: "surprised", strict: true }));
  expect(tools.rendered.at(-1)).toBe("surprised");
  expect(states(id)).toEqual({ neutral: "generated", surprised: "generated" });
  expect(await code(library.create(await video({ strict: true })))).toBe("declaration_required");
});

test("a video that cannot be one is refused before it is queued", async () => {
  const request = await video();
  for (const [facts, expected] of [
    [{ video: null }, "video_unsupported"],
    [{ durationSeconds: 1 }, "video_too_short"],
    [{ durationSeconds: 301 }, "video_too_long"],
    [{ video: { codec: "h264", width: 5000, height: 10, fps: 25 } }, "video_too_large"],
  ] as const) {
    media.files.set(request.path ?? "", facts);
    expect(await code(library.create(request))).toBe(expected);
  }
  expect(library.owned()).toEqual([]);
});

test("a clip is built again for whoever is on record as having agreed", async () => {
  const id = await made(photo());
  const refused = async (account: string, avatar: string, tone: string) =>
    code(library.retry(account, avatar, tone));
  expect(await refused(BEN, id, "angry")).toBe("unknown_avatar");
  expect(await refused(ANN, "maya", "happy")).toBe("unknown_avatar");
  expect(await refused(ANN, id, "angry")).toBe("unknown_tone");
  const release = tools.hold();
  expect(await library.retry(ANN, id, "happy")).toEqual({
    avatar: id,
    tone: "happy",
    variant_id: `${id}__happy`,
    state: "generating",
  });
  expect(await refused(ANN, id, "happy")).toBe("clip_already_generating");
  expect((await library.retry(ANN, `${id}__happy`, "sad")).variant_id).toBe(`${id}__sad`);
  expect(states(id)).toEqual({ neutral: "generated", happy: "generating", sad: "generating" });
  expect(library.list(ANN).builds[id]).toMatchObject({ state: "ready", step: "clips", finished_at: null });
  release();
  await library.finished(ANN, id);
  expect(states(id)).toMatchObject({ happy: "generated", sad: "generated" });
  const before = library.loops(ANN, id).get("happy");
  await library.retry(ANN, id, "happy");
  // What there was is shown until the next is there.
  expect(library.loops(ANN, id).get("happy")).toBe(before);
  await library.finished(ANN, id);
  expect(library.loops(ANN, id).get("happy")).not.toBe(before);
  await library.retry(ANN, id, "neutral");
  await library.ready(ANN, id);
  expect([...library.loops(ANN, id).keys()]).toEqual(["neutral", "happy", "sad"]);
});

test("a photograph that is gone, or is another one now, is not the one that was agreed to", async () => {
  const id = await made(photo());
  const { upload = "", original } = await recordOf(id);
  const path = join(folder(id), upload, original?.file ?? "");
  expect(await readFile(path)).toEqual(grey);
  await writeFile(path, blue);
  expect(await code(library.retry(ANN, id, "happy"))).toBe("consent_required");
  await rm(path);
  expect(await code(library.retry(ANN, id, "happy"))).toBe("consent_required");
  await writeFile(path, grey);
  expect(await library.retry(ANN, id, "happy")).toMatchObject({ state: "generating" });
});

test("an agreement that could not be checked is checked when a clip is asked for", async () => {
  agreed = new Error("fetch failed");
  const id = await made(photo());
  expect(await code(library.retry(ANN, id, "happy"))).toBe("consents_unavailable");
  agreed = false;
  expect(await code(library.retry(ANN, id, "happy"))).toBe("consent_required");
  agreed = true;
  await library.retry(ANN, id, "happy");
  agreed = new Error("not asked again");
  await library.retry(ANN, id, "sad");
});

test("a tone that fails says why, and takes neither the avatar nor the other tones with it", async () => {
  const full = Object.assign(new Error("ENOSPC: no space left on device, write"), { code: "ENOSPC" });
  tools.faults.set("happy", full);
  tools.faults.set("sad", new Error("The lips could not be found."));
  const id = await made(photo({ tones: "happy,sad,warm" }));
  const clips = new Map(library.clips(ANN, id).clips.map((clip): [string, Clip] => [clip.tone, clip]));
  expect(clips.get("happy")).toMatchObject({
    state: "failed",
    detail: expect.stringContaining("disk"),
    duration_s: null,
  });
  expect(clips.get("sad")).toMatchObject({ state: "failed", detail: "The lips could not be found." });
  expect([clips.get("warm")?.state, clips.get("neutral")?.state]).toEqual(["generated", "generated"]);
  expect([...library.loops(ANN, id).keys()]).toEqual(["neutral", "warm"]);
  expect(await builds(id)).toHaveLength(2);
  tools.faults.clear();
  await library.retry(ANN, id, "happy");
  await library.finished(ANN, id);
  expect(states(id)).toMatchObject({ happy: "generated", sad: "failed" });
});

test("an avatar lives without the MP4 of its base clip", async () => {
  media.clip = () => Promise.reject(Object.assign(new Error("x"), { code: "ENOSPC" }));
  const id = await made(photo());
  expect(library.resolve(ANN, id)?.status).toBe("ready");
  expect(library.clips(ANN, id).clips).toMatchObject([
    { state: "failed", detail: expect.stringContaining("disk") },
  ]);
  expect(() => library.clipFile(ANN, id)).toThrow(expect.objectContaining({ code: "clip_not_found" }));
});

test("an avatar is deleted while it is built, and nothing of it stays or comes back", async () => {
  tools.hold();
  const { avatar } = await library.create(await video({ takes: [await take("happy")] }));
  await expect.poll(() => tools.tracked.length).toBe(1);
  expect(await library.delete(ANN, avatar)).toEqual({ deleted: avatar, active: "maya" });
  expect(existsSync(folder(avatar))).toBe(false);
  expect(library.list(ANN).builds[avatar]).toBeUndefined();
  expect(moved.filter(([id]) => id === avatar)).toEqual([]);
});

test("a start fails the clip it may have died of, builds those that waited, and clears what is half made", async () => {
  const id = await made(photo({ tones: "happy,sad,warm" }));
  const record = await recordOf(id);
  const { happy, sad, warm } = record.clips ?? {};
  if (!happy || !sad || !warm) throw new Error("There are no clips.");
  await library.close();
  await saveRecord({
    ...record,
    clips: {
      ...record.clips,
      happy: { ...happy, state: "generating", begun: true },
      sad: { ...sad, state: "generating", build: null },
      warm: { ...warm, version: 1 },
    },
  });
  await copyFile(join(folder(id), "avatar.json"), join(folder(id), "avatar.json.x.tmp"));
  tools.rendered.length = 0;
  library = await openLibrary();
  expect(states(id)).toMatchObject({ happy: "failed", sad: "generating", warm: "generating" });
  // A clip that was there before is still there; one of another version of the preparation is not.
  expect([...library.loops(ANN, id).keys()]).toEqual(["neutral", "happy"]);
  const [, , begun] = library.clips(ANN, id).clips;
  expect(begun).toMatchObject({ tone: "happy", detail: expect.stringContaining("box stopped") });
  await library.finished(ANN, id);
  expect(states(id)).toMatchObject({ happy: "failed", sad: "generated", warm: "generated" });
  expect(tools.rendered.toSorted()).toEqual(["sad", "warm"]);
  expect((await readdir(folder(id))).filter((name) => name.endsWith(".tmp"))).toEqual([]);
  expect(await builds(id)).toHaveLength(4);
});

test("tones that waited when the library closed are built when it opens again", async () => {
  const release = tools.hold();
  const { avatar } = await library.create(photo({ tones: "happy,sad" }));
  await expect.poll(() => tools.rendered.at(-1)).toBe("neutral");
  const closed = library.close();
  release();
  await closed;
  library = await openLibrary();
  await library.finished(ANN, avatar);
  expect(states(avatar)).toEqual({ neutral: "generated", happy: "generated", sad: "generated" });
});

test("an upload that finds the disk full leaves nothing, and what was there before", async () => {
  const id = await made(photo({ tones: "happy" }));
  const before = (await readdir(folder(id))).toSorted();
  const { AvatarStore } = await import("./store.ts");
  const { save } = AvatarStore.prototype;
  AvatarStore.prototype.save = () =>
    Promise.reject(Object.assign(new Error("ENOSPC: no space left on device"), { code: "ENOSPC" }));
  try {
    expect(await code(library.create(photo({ bytes: blue })))).toBe("storage_full");
    expect(await code(library.create(photo({ filename: "new.png" })))).toBe("storage_full");
    expect(await code(library.retry(ANN, id, "sad"))).toBe("storage_full");
  } finally {
    AvatarStore.prototype.save = save;
  }
  expect((await readdir(folder(id))).toSorted()).toEqual(before);
  expect(library.owned()).toHaveLength(1);
  expect(states(id)).toEqual({ neutral: "generated", happy: "generated" });
  await library.retry(ANN, id, "sad");
});

test("an avatar from before there were tones is still served, and can be built again", async () => {
  const id = await made(photo());
  const record = await recordOf(id);
  const upload = join(folder(id), record.upload ?? "");
  await library.close();
  await copyFile(join(upload, "source.jpg"), join(folder(id), "source.jpg"));
  await rm(upload, { recursive: true });
  const { upload: _, original: __, consent: ___, clips: ____, kind: _____, ...old } = record;
  await saveRecord({ ...old, version: 1 } as AvatarRecord);
  library = await openLibrary();
  expect((await library.ready(ANN, id)).clips).toMatchObject([{ tone: "neutral", state: "generated" }]);
  expect(await code(library.retry(ANN, id, "happy"))).toBe("consent_required");
});

test("an explicit id is kept, unless somebody else has it", async () => {
  expect((await library.create(photo({ id: "ada" }))).avatar).toBe("ada");
  await library.finished(ANN, "ada");
  expect((await library.create(photo({ id: "ada", bytes: blue }))).avatar).toBe("ada");
  await library.finished(ANN, "ada");
  for (const taken of ["ada", "maya"]) {
    const { avatar } = await library.create(photo({ owner: BEN, id: taken }));
    expect(avatar).toMatch(new RegExp(`^${taken}-[a-z0-9]{6}$`));
  }
  for (const id of ["Ada", "a--b", "../x", "a__happy", "x".repeat(65)])
    expect(await code(library.create(photo({ id })))).toBe("invalid_body");
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
  await reopen({ generator });
  const id = await made(photo({ tones: "happy", gestureAmplitude: 0.25 }));
  expect(asked).toEqual(["happy 0.25 ff"]);
  expect((await library.finished(ANN, id))?.clips).toMatchObject([
    { template: "motion" },
    { template: "http" },
  ]);
  reachable = false;
  expect(await code(library.retry(ANN, id, "sad"))).toBe("clip_generator_unavailable");
  expect(states(id)).toEqual({ neutral: "generated", happy: "generated" });
  const record = await recordOf(id);
  await library.close();
  const happy = record.clips?.happy;
  if (!happy) throw new Error("There is no clip.");
  await saveRecord({ ...record, clips: { ...record.clips, happy: { ...happy, version: 1 } } });
  library = await openLibrary({ generator });
  await library.finished(ANN, id);
  expect(states(id).happy).toBe("generated");
  expect(tools.tracked.at(-1)).toEqual(["generated__happy.mp4"]);
  expect(asked).toHaveLength(1);
  reachable = true;
  await library.retry(ANN, id, "happy");
  await library.finished(ANN, id);
  expect(asked).toHaveLength(2);
});
