import { existsSync } from "node:fs";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { videoOf } from "../testing/avatar-tools.ts";
import { ANN, BEN, blue, code, LibraryParty } from "../testing/library-party.ts";
import type { CreateAvatarRequest } from "./library.ts";

let party: LibraryParty;
beforeEach(async () => {
  party = await LibraryParty.start();
});
afterEach(() => party.close());

test("a photograph gets the tones it asks for, each a variant with its own loop and clip", async () => {
  const release = party.tools.hold();
  const created = await party.library.create(party.photo({ tones: "happy, neutral,sad" }));
  expect(created).toMatchObject({ tones: ["neutral", "happy", "sad"], note: "", status: "preparing" });
  const id = created.avatar;
  expect(party.states(id)).toEqual({ neutral: "generating", happy: "generating", sad: "generating" });
  expect(party.library.list(ANN).preparing).toEqual([id, `${id}__happy`, `${id}__sad`]);
  expect(party.library.resolve(ANN, `${id}__happy`)).toBeUndefined();
  expect(() => party.library.clipFile(ANN, id)).toThrow(expect.objectContaining({ code: "clip_not_found" }));
  release();
  const finished = await party.library.finished(ANN, id);
  expect(finished?.clips.map(({ tone, template, frames }) => [tone, template, frames])).toEqual([
    ["neutral", "motion", 200],
    ["happy", "motion", 200],
    ["sad", "motion", 200],
  ]);
  expect(party.tools.rendered.slice(-3)).toEqual(["neutral", "happy", "sad"]);
  const group = party.library.list(ANN).groups.find((candidate) => candidate.id === id);
  expect(group).toMatchObject({
    variants: [id, `${id}__happy`, `${id}__sad`],
    tones: ["neutral", "happy", "sad"],
    preview: id,
  });
  expect(party.library.list(ANN).avatars).toContain(`${id}__sad`);
  const loops = party.library.loops(ANN, id);
  expect([...loops.keys()]).toEqual(["neutral", "happy", "sad"]);
  for (const [tone, dir] of loops) {
    expect((await readdir(dir)).toSorted()).toEqual(["clip.mp4", "loop.i420", "preview.jpg", "rig.vvr"]);
    expect(await readFile(join(dir, "rig.vvr"), "utf8")).toBe(tone);
  }
  expect(party.library.clipFile(ANN, `${id}__sad`)).toBe(join(loops.get("sad") ?? "", "clip.mp4"));
  expect(party.library.clipFile(ANN, `${id}__sad`, "neutral")).toBe(
    join(loops.get("neutral") ?? "", "clip.mp4"),
  );
  expect(party.library.clips(ANN, `${id}__sad`).avatar).toBe(id);
  expect(party.library.resolve(ANN, `${id}__sad`)?.id).toBe(id);
  for (const ask of [() => party.library.clips(BEN, id), () => party.library.clipFile(BEN, id)])
    expect(ask).toThrow(expect.objectContaining({ code: "unknown_avatar" }));
  expect(party.library.clips(ANN, id).clips[1]).toMatchObject({ variant_id: `${id}__happy`, duration_s: 8 });
  expect(party.moved.filter(([avatar]) => avatar === id)).toEqual([
    [id, "neutral", "generated"],
    [id, "happy", "generated"],
    [id, "sad", "generated"],
  ]);
  const last = party.reports.at(-1);
  expect(last).toMatchObject({ state: "ready", step: "done", progress: 1 });
  expect(last?.clips?.map(({ state }) => state)).toEqual(["generated", "generated", "generated"]);
  expect(party.reports.filter(({ step, state }) => step === "clips" && state === "ready")).toHaveLength(5);
});

test.each<[what: string, changes: Partial<CreateAvatarRequest>, agreed: boolean | Error, note: RegExp]>([
  ["no consent", { consentToken: "" }, true, /need a consent_token/],
  ["a consent that is not for these bytes", {}, false, /not an agreement to exactly/],
  ["a portal that does not answer", {}, new Error("fetch failed"), /could not be checked just now/],
])("with %s the avatar comes without its tones, and says why", async (_, changes, answer, note) => {
  party.agreed = answer;
  const created = await party.library.create(party.photo({ tones: "happy", ...changes }));
  expect(created.tones).toEqual(["neutral"]);
  expect(created.note).toMatch(note);
  await party.library.finished(ANN, created.avatar);
  expect(party.states(created.avatar)).toEqual({ neutral: "generated" });
  expect(
    await code(party.library.create(party.photo({ id: "mine", tones: "happy", strict: true, ...changes }))),
  ).toBe(answer instanceof Error ? "consents_unavailable" : "consent_required");
  expect(existsSync(party.folder("mine"))).toBe(false);
});

test("where clips are off, what is only for them is neither needed nor looked at", async () => {
  await party.reopen({ offers: { photoCreation: true, clips: { kind: "none" } } });
  const ignored = { framing: "feet", gestureAmplitude: "7" };
  const created = await party.library.create(party.photo({ tones: "happy", ...ignored }));
  expect(created).toMatchObject({ tones: ["neutral"], note: expect.stringContaining("no emotion clips") });
  await party.library.finished(ANN, created.avatar);
  expect(await code(party.library.retry(ANN, created.avatar, "happy"))).toBe("avatar_clips_unavailable");
  const undeclared = await party.library.create(await party.video({ ...ignored, tones: "happy" }));
  expect(undeclared).toMatchObject({ tones: ["neutral"], note: expect.stringContaining("declared") });
  await party.reopen();
  for (const changes of [{ framing: "feet" }, { gestureAmplitude: "7" }, { tones: "happy,angry" }])
    expect(await code(party.library.create(party.photo(changes)))).toMatch(/^invalid_|unknown_tone/);
});

test("a video keeps its own motion, and has the tones that it has takes of", async () => {
  const takes = [
    await party.take("happy"),
    await party.take("sad", "sad.avi"),
    await party.take("happy", "b.MP4"),
  ];
  const created = await party.library.create(await party.video({ takes, tones: "happy,sad,warm" }));
  expect(created.tones).toEqual(["neutral", "happy"]);
  expect(created.note).toMatch(/no takes of sad, warm.*"sad\.avi" is not used/);
  const id = created.avatar;
  const finished = await party.library.finished(ANN, id);
  expect(finished?.clips.map(({ template, frames }) => [template, frames])).toEqual([
    ["footage", 75],
    ["footage", 75],
  ]);
  expect(party.tools.tracked).toEqual([["original.mp4"], ["take__happy__0.webm", "take__happy__1.mp4"]]);
  expect(existsSync(takes[0]?.path ?? "")).toBe(false);
  const [own] = party.library.owned();
  expect(own).toMatchObject({ kind: "video", crop: { crop: "bust", x: 70 / 400, h: 260 / 300 } });
  const archived = await party.library.archivable(ANN, id);
  expect(archived?.files.map(({ filename, content_type }) => [filename, content_type])).toEqual([
    ["source.mp4", "video/mp4"],
    ["still.jpg", "image/jpeg"],
    ["neutral.mp4", "video/mp4"],
    ["happy.mp4", "video/mp4"],
  ]);
  expect(party.library.videos(ANN).videos.filter(({ identity }) => identity === id)).toMatchObject([
    { id, kind: "video", bytes: videoOf("me").length, status: "ready", deletable: true },
    { id: `${id}__happy`, emotion: "happy", status: "ready" },
  ]);
  expect(await code(party.library.retry(ANN, id, "happy"))).toBe("consent_required");
});

test("a video that was made by AI gets its tones from its still", async () => {
  const id = await party.made(await party.video({ aiGenerated: true, tones: "surprised", strict: true }));
  expect(party.tools.rendered.at(-1)).toBe("surprised");
  expect(party.states(id)).toEqual({ neutral: "generated", surprised: "generated" });
  expect(await code(party.library.create(await party.video({ strict: true })))).toBe("declaration_required");
});

test("a video that cannot be one is refused before it is queued", async () => {
  const request = await party.video();
  for (const [facts, expected] of [
    [{ video: null }, "video_unsupported"],
    [{ durationSeconds: 1 }, "video_too_short"],
    [{ durationSeconds: 301 }, "video_too_long"],
    [{ video: { codec: "h264", width: 5000, height: 10, fps: 25 } }, "video_too_large"],
  ] as const) {
    party.media.files.set(request.path ?? "", facts);
    expect(await code(party.library.create(request))).toBe(expected);
  }
  expect(party.library.owned()).toEqual([]);
});

test("an explicit id is kept, unless somebody else has it", async () => {
  expect((await party.library.create(party.photo({ id: "ada" }))).avatar).toBe("ada");
  await party.library.finished(ANN, "ada");
  expect((await party.library.create(party.photo({ id: "ada", bytes: blue }))).avatar).toBe("ada");
  await party.library.finished(ANN, "ada");
  for (const taken of ["ada", "maya"]) {
    const { avatar } = await party.library.create(party.photo({ owner: BEN, id: taken }));
    expect(avatar).toMatch(new RegExp(`^${taken}-[a-z0-9]{6}$`));
  }
  for (const id of ["Ada", "a--b", "../x", "a__happy", "x".repeat(65)])
    expect(await code(party.library.create(party.photo({ id })))).toBe("invalid_body");
});
