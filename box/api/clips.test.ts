// Avatars with their tones over HTTP, on a real library whose builds are quick.

import { createHash } from "node:crypto";
import { readdir, writeFile } from "node:fs/promises";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  avatarCreatedSchema,
  avatarListSchema,
  clipListSchema,
  clipRetryAnswerSchema,
  photoAvatarSchema,
  videoListSchema,
} from "../../contract/avatars.ts";
import { AvatarLibrary } from "../avatars/library.ts";
import { FakeTools, pictureOf, sameFace, videoOf } from "../testing/avatar-tools.ts";
import { FakeMediaFiles } from "../testing/fake-media-files.ts";
import { otherKey, startTestBox, type AskOptions, type TestBox } from "../testing/test-box.ts";

const picture = new Blob([new Uint8Array(await pictureOf("#888888"))], { type: "image/png" });
const footage = (words: string) => new Blob([new Uint8Array(videoOf(words))], { type: "video/mp4" });

let box: TestBox;
let tools: FakeTools;

async function start(environment: Record<string, string> = {}): Promise<void> {
  tools = new FakeTools();
  const files = new FakeMediaFiles();
  const { openFaces } = {
    openFaces: async (stateDir: string, hooks: object) => {
      for (const name of ["maya", "theo"])
        await writeFile(join(stateDir, `${name}.png`), await pictureOf("#888888"));
      return AvatarLibrary.open({
        stateDir,
        stockDir: stateDir,
        media: files,
        finder: sameFace,
        builder: tools.builder,
        footage: tools.footage,
        offers: {
          photoCreation: environment.PHOTO_AVATARS !== "off",
          clips: { kind: environment.AVATAR_CLIPS === "none" ? "none" : "builtin" },
        },
        ...hooks,
      });
    },
  };
  box = await startTestBox(environment, { files, openFaces });
}
beforeEach(() => start());
afterEach(() => box.close());

function form(parts: Record<string, string | Blob>): FormData {
  const data = new FormData();
  for (const [name, value] of Object.entries(parts))
    if (typeof value === "string") data.append(name, value);
    else data.append(name, value, value === picture ? "me.png" : `${name}.mp4`);
  return data;
}

async function json(path: string, options?: AskOptions): Promise<unknown> {
  return (await box.ask(path, options)).json();
}

/** Makes an avatar and waits for its clips. */
async function make(parts: Record<string, string | Blob>): Promise<string> {
  const body = form({ file: picture, consent_token: "c1", ...parts });
  const made = avatarCreatedSchema.strict().parse(await json("/api/avatar", { body }));
  await expect
    .poll(async () => avatarListSchema.parse(await json("/api/avatars")).preparing)
    .not.toContainEqual(expect.stringContaining(made.avatar));
  return made.avatar;
}

const refusal = async (path: string, options?: AskOptions) => {
  const response = await box.ask(path, options);
  const { error } = (await response.json()) as { error: { code: string } };
  return [response.status, error.code];
};

test("clips are listed sparsely, by avatar or by variant, and to their owner alone", async () => {
  const id = await make({ name: "Ada", tones: "happy" });
  const list = clipListSchema.strict().parse(await json(`/api/avatar/clips?avatar=${id}`));
  expect(list).toMatchObject({
    avatar: id,
    clips: [
      { tone: "neutral", state: "generated", variant_id: id, duration_s: 8, detail: "" },
      { tone: "happy", state: "generated", variant_id: `${id}__happy`, duration_s: 8, detail: "" },
    ],
  });
  expect(await json(`/api/avatar/clips?avatar=${id}__happy`)).toEqual(list);
  expect(await refusal("/api/avatar/clips")).toEqual([400, "invalid_body"]);
  for (const path of [`/api/avatar/clips?avatar=${id}`, `/api/avatar/clip?avatar=${id}`])
    expect(await refusal(path, { key: otherKey })).toEqual([404, "unknown_avatar"]);
  expect(await refusal(`/api/avatar/clips?avatar=${id}__angry`)).toEqual([404, "unknown_avatar"]);
  const { builds } = avatarListSchema.parse(await json("/api/avatars"));
  expect(builds[id]?.clips).toEqual(list.clips);
  const videos = videoListSchema.strict().parse(await json("/api/videos"));
  expect(videos.videos.filter(({ identity }) => identity === id)).toMatchObject([
    { id, bytes: picture.size, kind: "photo", deletable: true, registry_note: null },
    { id: `${id}__happy`, emotion: "happy", status: "ready" },
  ]);
});

test("a clip is played whole and in parts", async () => {
  const id = await make({ tones: "happy" });
  const path = `/api/avatar/clip?avatar=${id}&tone=happy`;
  const whole = await box.ask(path);
  const bytes = Buffer.from(await whole.arrayBuffer());
  const { size } = { size: bytes.length };
  expect(bytes.toString()).toContain("ftyp");
  expect(Object.fromEntries(whole.headers)).toMatchObject({
    "content-type": "video/mp4",
    "content-length": String(size),
    "accept-ranges": "bytes",
    "cache-control": expect.stringContaining("private"),
  });
  const etag = whole.headers.get("etag") ?? "";
  for (const [range, start, end] of [
    ["bytes=4-7", 4, 7],
    ["bytes=4-", 4, size - 1],
    ["bytes=-6", size - 6, size - 1],
    ["bytes=0-999999", 0, size - 1],
  ] as const) {
    const part = await box.ask(path, { headers: { Range: range } });
    expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes ${start}-${end}/${size}`]);
    expect(Buffer.from(await part.arrayBuffer())).toEqual(bytes.subarray(start, end + 1));
  }
  for (const headers of [
    { Range: "bytes=1-2,4-5" },
    { Range: "lines=1-2" },
    { Range: "bytes=5-2" },
    { Range: "bytes=1-2", "If-Range": '"another"' },
  ] as Record<string, string>[])
    expect((await box.ask(path, { headers })).status).toBe(200);
  const past = await box.ask(path, { headers: { Range: `bytes=${size}-` } });
  expect([past.status, past.headers.get("content-range")]).toEqual([416, `bytes */${size}`]);
  expect((await box.ask(path, { headers: { "If-None-Match": etag } })).status).toBe(304);
  const head = await box.ask(path, { method: "HEAD" });
  expect([head.status, head.headers.get("content-length"), await head.text()]).toEqual([
    200,
    String(size),
    "",
  ]);
  expect((await box.ask(`/api/avatar/clip?avatar=${id}__happy`)).headers.get("etag")).toBe(etag);
  expect(await refusal(`/api/avatar/clip?avatar=${id}&tone=sad`)).toEqual([404, "clip_not_found"]);
  expect(await refusal(`/api/avatar/clip?avatar=${id}&tone=angry`)).toEqual([400, "unknown_tone"]);
});

test("files that were handed to players are closed again, whether or not they were read to their end", async () => {
  const id = await make({});
  const open = async () => (await readdir("/proc/self/fd")).length;
  const path = `/api/avatar/clip?avatar=${id}`;
  await (await box.ask(path)).text();
  const before = await open();
  for (let round = 0; round < 30; round++) {
    const method = round % 3 === 0 ? "HEAD" : "GET";
    const response = await box.ask(path, {
      method,
      headers: round % 5 === 0 ? { Range: "bytes=99999-" } : {},
    });
    if (round % 2 === 0) await response.body?.cancel();
    else await response.arrayBuffer();
  }
  await expect.poll(open).toBeLessThanOrEqual(before + 3);
});

test("a clip is built again, and every refusal has its own code", async () => {
  const id = await make({ name: "Ada" });
  const unattested = await make({ name: "Bob", consent_token: "" });
  const retry = (body: object) => refusal("/api/avatar/clips/retry", { body });
  expect(await retry({ avatar: "nobody", tone: "angry" })).toEqual([404, "unknown_avatar"]);
  expect(await retry({ avatar: "maya", tone: "happy" })).toEqual([404, "unknown_avatar"]);
  expect(await retry({ avatar: id, tone: "angry" })).toEqual([400, "unknown_tone"]);
  expect(await retry({ avatar: unattested, tone: "happy" })).toEqual([403, "consent_required"]);
  expect(await retry({ avatar: id })).toEqual([400, "invalid_body"]);
  const release = tools.hold();
  const answer = await box.ask("/api/avatar/clips/retry", { body: { avatar: id, tone: "sad" } });
  expect(answer.status).toBe(202);
  expect(clipRetryAnswerSchema.strict().parse(await answer.json())).toEqual({
    avatar: id,
    tone: "sad",
    variant_id: `${id}__sad`,
    state: "generating",
  });
  expect(await retry({ avatar: id, tone: "sad" })).toEqual([409, "clip_already_generating"]);
  release();
  await expect
    .poll(async () => clipListSchema.parse(await json(`/api/avatar/clips?avatar=${id}`)).clips[1]?.state)
    .toBe("generated");
  await box.close();
  await start({ AVATAR_CLIPS: "none" });
  const plain = await make({ name: "Ada" });
  expect(await retry({ avatar: plain, tone: "sad" })).toEqual([501, "avatar_clips_unavailable"]);
});

test("a photo avatar answers when its clips are there, and goes on when nobody waits", async () => {
  const parts = { file: picture, consent_token: "c1", tones: "happy,sad" };
  const answer = await box.ask("/v1/photo_avatar.create", { body: form({ ...parts, avatar_id: "ada" }) });
  expect(answer.status).toBe(200);
  const { data } = photoAvatarSchema.strict().parse(await answer.json());
  expect(data.avatar_id).toBe("ada");
  expect(data.clips.map(({ tone, avatar_id }) => [tone, avatar_id])).toEqual([
    ["neutral", "ada"],
    ["happy", "ada__happy"],
    ["sad", "ada__sad"],
  ]);
  for (const clip of data.clips) {
    expect(clip).toMatchObject({ template: "motion", duration_s: 8, fps: 25, loop_frame: 200, queued: true });
    expect((await box.ask(clip.path)).status).toBe(200);
  }
  const taken = await box.ask("/v1/photo_avatar.create", {
    key: otherKey,
    body: form({ ...parts, avatar_id: "ada" }),
  });
  expect(photoAvatarSchema.parse(await taken.json()).data.avatar_id).toMatch(/^ada-[a-z0-9]{6}$/);

  const release = tools.hold();
  const controller = new AbortController();
  const left = fetch(`${box.url}/v1/photo_avatar.create`, {
    method: "POST",
    headers: { "X-Api-Key": "key-of-the-first-caller" },
    body: form({ ...parts, name: "Left" }),
    signal: controller.signal,
  });
  await expect.poll(() => tools.rendered.length).toBe(2 + 3 + 3 + 1);
  controller.abort();
  await expect(left).rejects.toThrow();
  release();
  await expect
    .poll(
      async () =>
        avatarListSchema.parse(await json("/api/avatars")).groups.find(({ id }) => id.startsWith("left-"))
          ?.tones,
    )
    .toEqual(["neutral", "happy", "sad"]);
});

test("a photo avatar is made whole or not at all", async () => {
  const create = (parts: Record<string, string | Blob>) =>
    refusal("/v1/photo_avatar.create", { body: form(parts) });
  const attested = { file: picture, consent_token: "c1" };
  expect(await create(attested)).toEqual([400, "invalid_body"]);
  expect(await create({ name: "Ada", file: picture })).toEqual([403, "consent_required"]);
  expect(await create({ ...attested, avatar_id: "Not an id" })).toEqual([400, "invalid_body"]);
  expect(await create({ ...attested, name: "Ada", tones: "angry" })).toEqual([400, "unknown_tone"]);
  expect(await create({ name: "Ada", consent_token: "c1" })).toEqual([400, "invalid_body"]);
  const me = footage("me");
  expect(await create({ name: "Ada", file: me })).toEqual([400, "declaration_required"]);
  expect(await create({ name: "Ada", file: me, ai_generated: "perhaps" })).toEqual([
    400,
    "declaration_required",
  ]);
  const listed = avatarListSchema.parse(await json("/api/avatars"));
  expect(listed.groups.map(({ id }) => id)).toEqual(["maya", "theo"]);
  tools.faults.set("neutral", new Error("The lips could not be found."));
  expect(await create({ ...attested, name: "Ada" })).toEqual([400, "face_unusable"]);
  tools.faults.clear();
  tools.faults.set("sad", new Error("The lips could not be found."));
  expect(await create({ ...attested, name: "Ada", tones: "happy,sad" })).toEqual([502, "clip_failed"]);
  tools.faults.clear();
  const declared = form({ name: "Ada", file: me, ai_generated: " Yes", tones: "warm" });
  const { data } = photoAvatarSchema.parse(await json("/v1/photo_avatar.create", { body: declared }));
  expect(data.clips.map(({ tone, template }) => [tone, template])).toEqual([
    ["neutral", "footage"],
    ["warm", "motion"],
  ]);
  await box.close();
  await start({ PHOTO_AVATARS: "off" });
  expect(await create({ ...attested, name: "Ada" })).toEqual([501, "feature_disabled"]);
});

test("whoever waits for clips when the box ends is told so before the connection is closed", async () => {
  const release = tools.hold();
  const body = form({ file: picture, consent_token: "c1", name: "Ada", tones: "happy" });
  const held = refusal("/v1/photo_avatar.create", { body });
  await expect
    .poll(async () => avatarListSchema.parse(await json("/api/avatars")).preparing)
    .toContainEqual(expect.stringMatching(/^ada-.*__happy$/));
  const ended = box.end();
  expect(await held).toEqual([503, "library_closed"]);
  release();
  await ended;
});

test("of a tone of an unknown avatar only the avatar is told", async () => {
  expect(await refusal("/api/avatar/clip?avatar=nobody&tone=angry")).toEqual([404, "unknown_avatar"]);
  expect(await refusal("/api/avatar/clip?avatar=maya&tone=angry")).toEqual([400, "unknown_tone"]);
});

test("a video with takes comes in one form", async () => {
  const body = form({
    file: footage("me"),
    take__happy: footage("h0"),
    take__happy__2: footage("h2"),
    take__happy__1: footage("h1"),
    take__sad: footage("s0"),
    name: "Ada",
  });
  const made = avatarCreatedSchema.parse(await json("/api/avatar", { body }));
  expect(made).toMatchObject({ tones: ["neutral", "happy", "sad"], note: "" });
  await expect.poll(() => tools.tracked.length).toBe(3);
  expect(tools.tracked[1]).toHaveLength(3);
  expect(await readdir(join(box.services.config.stateDir, "incoming"))).toEqual([]);
});

/** A portal that hands out one upload, and the storage behind it. */
async function startStorage(): Promise<{ url: string; server: Server; asked: string[] }> {
  const asked: string[] = [];
  const key = createHash("sha256").update("key-of-the-first-caller").digest("hex");
  let claimed = false;
  const server = createServer((request, response) => {
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", () => {
      asked.push(request.url ?? "");
      if (request.url?.startsWith("/storage/")) {
        const words = request.url.endsWith("file") ? "me" : "take";
        // The first time storage is not itself.
        if (asked.filter((path) => path === request.url).length === 1) response.writeHead(503).end();
        else response.end(videoOf(words));
        return;
      }
      const file = (field: string, words: string) => ({
        field,
        filename: `${field}.mp4`,
        content_type: "video/mp4",
        size: videoOf(words).length,
        url: `${url}/storage/${field}`,
      });
      const again = request.url === "/internal/uploads/claim" && claimed;
      if (request.url === "/internal/uploads/claim") claimed = true;
      const answers: Record<string, unknown> = {
        "/internal/uploads/claim": { files: [file("file", "me"), file("take__happy", "take")] },
        "/internal/credentials/lookup": {
          credential: { digest: key, kind: "key", scope: "full", account: "a@b.c", expires_at: null },
        },
        "/internal/heartbeat": { drain: false, revoked: [], revocations_seen: 1 },
        "/internal/erasures/pending": { erasures: [] },
        "/internal/avatars/report": { ok: true, registry_note: "" },
      };
      response.writeHead(again ? 404 : 200, { "Content-Type": "application/json" });
      response.end(JSON.stringify(answers[request.url ?? ""] ?? { ok: true }));
    });
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server, asked };
}

test("an upload is fetched from storage, which may stumble, and can be claimed once", async () => {
  const storage = await startStorage();
  try {
    await box.close();
    await start({ PORTAL_URL: storage.url, BOX_SECRET: "secret-of-this-box" });
    const body = () => form({ upload_id: "u1", name: "Ada" });
    const made = avatarCreatedSchema.parse(await json("/api/avatar", { body: body() }));
    expect(made.tones).toEqual(["neutral", "happy"]);
    expect(storage.asked.filter((path) => path.startsWith("/storage/"))).toHaveLength(4);
    expect(await refusal("/api/avatar", { body: body() })).toEqual([404, "unknown_upload"]);
    await expect
      .poll(() => storage.asked.filter((path) => path === "/internal/avatars/clips").length)
      .toBe(4);
  } finally {
    storage.server.closeAllConnections();
    storage.server.close();
  }
});
