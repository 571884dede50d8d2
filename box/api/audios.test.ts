// Sound files over HTTP: uploaded, listed, and spoken by a session that is opened for them.

import { spawnSync } from "node:child_process";
import { mkdtemp, readFile, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { audioListSchema, audioUploadedSchema } from "../../contract/audios.ts";
import { connectAnswerSchema } from "../../contract/live.ts";
import { Refusal } from "../failure.ts";
import { FakeMediaFiles } from "../testing/fake-media-files.ts";
import { MediaError, type MediaFault } from "../media/media.ts";
import { otherKey, startTestBox, type TestBox } from "../testing/test-box.ts";

let files: FakeMediaFiles;
let box: TestBox;
beforeEach(async () => {
  files = new FakeMediaFiles();
  box = await startTestBox({}, { files });
});
afterEach(() => box.close());

function form(
  bytes: Uint8Array<ArrayBuffer> | string = "sound",
  name = "hello.ogg",
  part = "file",
): FormData {
  const body = new FormData();
  body.set(part, new Blob([bytes]), name);
  return body;
}
const upload = (body: FormData | string = form(), of = box) =>
  of.ask("/api/upload", { method: "POST", body });
const offer = { sdp: "v=0\r\n", type: "offer" };
const speak = (audio: string, options: { key?: string; more?: object } = {}) =>
  box.ask("/offer", { body: { ...offer, audio, ...options.more }, ...(options.key && { key: options.key }) });
const list = async (key?: string) =>
  audioListSchema.strict().parse(await (await box.ask("/api/audios", key ? { key } : {})).json()).audios;

test("an upload is listed, for whoever made it", async () => {
  const answer = await upload();
  expect(answer.status).toBe(200);
  expect(audioUploadedSchema.strict().parse(await answer.json())).toEqual({
    ok: true,
    audio: "hello.wav",
    duration_s: 3,
  });
  expect(await list()).toMatchObject([{ name: "hello.wav", duration_s: 3, bytes: 144_044 }]);
  expect(await list(otherKey)).toEqual([]);
  // What was sent is gone.
  expect(
    (await readdir(join(box.services.config.stateDir, "audios"))).filter((name) => name.includes("part")),
  ).toEqual([]);
});

test.each<[MediaFault, number]>([
  ["unreadable", 400],
  ["unsupported", 400],
  ["too_large", 413],
  ["too_long", 400],
  ["too_slow", 400],
])("a file that is %s is refused in one flat sentence and leaves nothing", async (fault, status) => {
  files.broken = new MediaError(fault, "This is why.");
  const answer = await upload();
  expect([answer.status, await answer.json()]).toEqual([status, { error: "This is why." }]);
  expect(await list()).toEqual([]);
  expect(await readdir(join(box.services.config.stateDir, "audios"))).toEqual([]);
});

test.each<[string, () => FormData | string, number]>([
  ["a form without a file", () => form("x", "x.wav", "sound"), 400],
  ["no form", () => '{"file":"x"}', 400],
  ["an empty file", () => form(""), 400],
  ["a file over 25 MiB", () => form(new Uint8Array(25 * 1024 * 1024 + 1)), 413],
])("%s is refused in one flat sentence", async (_label, body, status) => {
  const answer = await upload(body());
  expect(answer.status).toBe(status);
  expect(await answer.json()).toEqual({ error: expect.any(String) });
});

test("a sound of no length is refused, and a full disk said in words", async () => {
  files.otherFiles = { ...files.otherFiles, durationSeconds: 0.05 };
  expect((await upload()).status).toBe(400);
  files.otherFiles = { ...files.otherFiles, durationSeconds: 3 };
  vi.spyOn(box.services.audios, "upload").mockRejectedValueOnce(
    new Refusal("storage_full", "The disk is full."),
  );
  const full = await upload();
  expect([full.status, await full.json()]).toEqual([503, { error: "The disk is full." }]);
});

describe("POST /offer", () => {
  test("opens a session as /connect does, and speaks the file", async () => {
    await upload();
    const socket = await box.socket();
    const answer = await speak("hello.wav", { more: { avatar: "theo", kind: "studio" } });
    expect(answer.status).toBe(200);
    const { avatar, session_id: id } = connectAnswerSchema.strict().parse(await answer.json());
    expect(avatar).toBe("theo");
    expect(box.services.slot.current).toMatchObject({ id, kind: "studio" });
    expect(await socket.next("avatar_speech_started")).toMatchObject({ correlationId: null });
    await socket.next("avatar_speech_ended");
    expect(box.media.stage.pushedMs).toBeCloseTo(3_000);
    // Nothing of it is a message.
    expect(socket.events.filter(({ type }) => type.startsWith("message"))).toEqual([]);
    const caller = box.services.slot.current?.account ?? "";
    expect(box.services.conversations.of(caller).messages()).toEqual([]);
  });

  test("speaks a recorded reply", async () => {
    const { audio } = (await (await box.ask("/api/chat", { body: { message: "Hi" } })).json()) as {
      audio: string;
    };
    expect((await speak(audio)).status).toBe(200);
    await expect.poll(() => box.media.stage.pushedMs).toBeGreaterThan(100);
  });

  test("an unknown file is a flat 404, and nobody is sent away for it", async () => {
    await upload();
    const { session_id: id } = await box.connect();
    for (const [audio, key] of [
      ["nothing.wav", undefined],
      ["../hello.wav", undefined],
      ["hello.wav", otherKey],
    ] as const) {
      const answer = await speak(audio, key ? { key } : {});
      expect([answer.status, await answer.json()]).toEqual([404, { error: expect.any(String) }]);
    }
    expect(box.services.slot.current?.id).toBe(id);
  });

  test.each<[string, object, number]>([
    ["a broken offer", { ...offer, sdp: "nonsense", audio: "hello.wav" }, 400],
    ["no file", offer, 400],
    ["an unknown field", { ...offer, audio: "hello.wav", colour: "red" }, 400],
    ["an unknown avatar", { ...offer, audio: "hello.wav", avatar: "nobody" }, 404],
  ])("%s is refused, and the file let go of", async (_label, body, status) => {
    await upload();
    const opened = vi.spyOn(box.services.audios, "open");
    const answer = await box.ask("/offer", { body });
    expect([answer.status, await answer.json()]).toEqual([status, { error: expect.any(String) }]);
    for (const result of opened.mock.results) {
      const sound = await (result.value as ReturnType<typeof box.services.audios.open>);
      await expect(sound.pieces().next()).rejects.toThrow();
    }
  });

  test("a message, an interrupt and the session's end each stop it", async () => {
    await upload();
    for (const stop of [
      () => box.ask("/api/interrupt", { method: "POST" }),
      () => box.ask("/api/chat", { body: { message: "Hi" } }),
      () => box.ask("/disconnect", { method: "POST" }),
    ]) {
      box.media.held = true;
      const opened = vi.spyOn(box.services.audios, "open");
      await speak("hello.wav");
      await expect.poll(() => box.media.stage.pushedMs).toBeGreaterThan(0);
      const director = box.services.slot.current?.director;
      box.media.stage.held = false;
      await stop();
      await expect.poll(() => director?.speaking).toBe(false);
      const sound = await (opened.mock.results[0]?.value as ReturnType<typeof box.services.audios.open>);
      await expect
        .poll(() =>
          sound
            .pieces()
            .next()
            .then(
              () => "open",
              () => "closed",
            ),
        )
        .toBe("closed");
      opened.mockRestore();
    }
  });

  test("of ten minutes, no more than half a minute is ahead of what is heard", async () => {
    files.otherFiles = { ...files.otherFiles, durationSeconds: 600 };
    expect((await upload()).status).toBe(200);
    box.media.held = true;
    await speak("hello.wav");
    await expect.poll(() => box.media.stage.pushedMs).toBeGreaterThanOrEqual(30_000);
    await sleep(300);
    expect(box.media.stage.pushedMs).toBeLessThan(32_000);
    await box.ask("/disconnect", { method: "POST" });
  });
});

const programs = spawnSync("ffmpeg", ["-version"]).status === 0;

// `npm test` installs FFmpeg before it runs this; only a bare `vitest` on an unprepared machine skips it.
describe.skipIf(!programs)("with FFmpeg installed", () => {
  let folder: string;
  let real: TestBox;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "visavis-sounds-"));
    real = await startTestBox();
  });
  afterAll(async () => {
    await real.close();
    await rm(folder, { recursive: true, force: true });
  });

  test.each([
    ["wav", []],
    ["mp3", []],
    ["ogg", ["-c:a", "libvorbis"]],
    ["flac", []],
    ["m4a", ["-c:a", "aac"]],
    ["webm", ["-c:a", "libopus"]],
  ])("a %s file is taken as what it sounds like", async (kind, codec) => {
    const path = join(folder, `two seconds.${kind}`);
    const source = ["-f", "lavfi", "-i", "sine=frequency=440:duration=2:sample_rate=48000", "-ac", "2"];
    expect(spawnSync("ffmpeg", ["-v", "error", ...source, ...codec, "-y", path]).status).toBe(0);
    const answer = await upload(form(new Uint8Array(await readFile(path)), `two seconds.${kind}`), real);
    expect(answer.status).toBe(200);
    const { audio, duration_s: seconds } = audioUploadedSchema.parse(await answer.json());
    expect(audio).toMatch(/^two-seconds(?:-\d)?\.wav$/);
    expect(Math.abs(seconds - 2)).toBeLessThan(0.1);
  });

  test("a picture and a text are refused as sounds", async () => {
    for (const bytes of [
      new Uint8Array(await readFile(new URL("../avatars/stock/maya.png", import.meta.url))),
      "hello",
    ])
      expect((await upload(form(bytes), real)).status).toBe(400);
  });
});
