// Voices of one's own: cloned from a clip and prepared, on a box that runs a speech server and on one that does not.

import { readdir, stat } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { voiceCatalogueSchema, voiceUploadedSchema } from "../../contract/voices.ts";
import { FakeMediaFiles } from "../testing/fake-media-files.ts";
import { FakeSpeechServer } from "../testing/fake-speech-server.ts";
import { MediaError, type FileFacts } from "../media/media.ts";
import { otherKey, startTestBox, type TestBox } from "../testing/test-box.ts";
import { SpeechServerVoice } from "../voices/speech-server/speech-server.ts";
import { wavFile } from "../voices/wav.ts";

let fake: FakeSpeechServer;
let media: FakeMediaFiles;
let box: TestBox;

async function start(environment: Record<string, string> = {}): Promise<void> {
  const options = { url: fake.url, apiKey: null, model: "tts-1" };
  box = await startTestBox(
    { SPEECH_URL: fake.url, ...environment },
    { files: media, engine: await SpeechServerVoice.open(options) },
  );
}

beforeEach(async () => {
  fake = await FakeSpeechServer.start();
  media = new FakeMediaFiles();
  await start();
});
afterEach(async () => {
  // Nothing of a clip stays.
  const left = await readdir(join(box.services.config.stateDir, "voice-clips")).catch(() => []);
  expect(left).toEqual([]);
  await box.close();
  await expect.poll(() => fake.connections).toBe(0);
  await fake.close();
});

const lasting = (durationSeconds: number): FileFacts => ({
  container: "ogg",
  durationSeconds,
  video: null,
  audio: { codec: "opus", sampleRate: 48_000, channels: 2 },
});

function upload(parts: Record<string, string | Blob> = {}, key?: string): Promise<Response> {
  const form = new FormData();
  const all: Record<string, string | Blob> = { file: new Blob(["a clip"]), name: "My voice", ...parts };
  for (const [name, value] of Object.entries(all)) {
    if (typeof value === "string") form.set(name, value);
    else form.set(name, value, "clip.ogg");
  }
  return box.ask("/api/voice/upload", { body: form, ...(key ? { key } : {}) });
}

const rowsFor = async (key?: string) => {
  const response = await box.ask("/api/voices", key ? { key } : {});
  return voiceCatalogueSchema.parse(await response.json());
};

test("a voice is cloned from a clean clip, and is spoken with by its account alone", async () => {
  media.otherFiles = lasting(5);
  const response = await upload();
  expect(response.status).toBe(200);
  const answer = voiceUploadedSchema.strict().parse(await response.json());
  expect(answer.voices.find(({ id }) => id === answer.voice_id)?.name).toBe("My voice");
  const [sent] = fake.clips;
  expect([sent?.type, sent?.bytes.toString("latin1", 0, 4), sent?.bytes.readUInt32LE(24)]).toEqual([
    "audio/wav",
    "RIFF",
    24_000,
  ]);
  const use = (key?: string) =>
    box.ask("/api/chat", { body: { message: "Hi", voice: answer.voice_id }, ...(key ? { key } : {}) });
  expect((await use()).status).toBe(200);
  expect(fake.spoken.at(-1)?.voice).toBe(answer.voice_id);
  // Everybody else cannot tell it from one that does not exist.
  expect((await use(otherKey)).status).toBe(400);
  expect((await rowsFor(otherKey)).voices.map(({ id }) => id)).not.toContain(answer.voice_id);
  const sample = `/api/voice/preview?voice=${answer.voice_id}`;
  expect((await box.ask(sample)).status).toBe(200);
  expect((await box.ask(sample, { key: otherKey })).status).toBe(404);
  const prepare = (key: string) => box.ask("/api/voice/prepare", { key, body: { voice: answer.voice_id } });
  expect((await prepare(otherKey)).status).toBe(400);
});

test("the catalogue is the speech server's", async () => {
  expect(await rowsFor()).toMatchObject({
    groups: [{ provider: "local", label: "Speech server", state: "ready", local: true }, {}, {}],
    current: "af_heart",
    provider_label: "Speech server",
  });
  const settings = await (await box.ask("/api/settings")).json();
  expect(settings).toMatchObject({
    tts_providers: [{ id: "local", label: "Speech server", cloning: true }, {}, {}],
  });
});

test.each<[string, FileFacts | MediaError, RegExp]>([
  ["too short", lasting(2), /at least 3 seconds/],
  ["too long", lasting(61), /longer than 60 seconds/],
  ["no sound", new MediaError("unsupported", "This is a spreadsheet."), /spreadsheet/],
  ["broken", new MediaError("unreadable", "The file is damaged."), /damaged/],
])("a clip that is %s is refused in one flat sentence, and sent nowhere", async (_, file, sentence) => {
  if (file instanceof MediaError) media.broken = file;
  else media.otherFiles = file;
  const response = await upload();
  expect([response.status, await response.json()]).toEqual([400, { error: expect.stringMatching(sentence) }]);
  expect(fake.clips).toEqual([]);
});

test.each<[string, Record<string, string | Blob>, number]>([
  ["no name", { name: " " }, 400],
  ["an endless name", { name: "x".repeat(81) }, 400],
  ["an empty clip", { file: new Blob([]) }, 400],
  ["a clip that is text", { file: "no file" }, 400],
  ["a part too many", { more: "x" }, 400],
  ["26 MiB", { file: new Blob([Buffer.alloc(26 * 1024 * 1024)]) }, 413],
])("a form with %s is refused", async (_, parts, status) => {
  const response = await upload(parts);
  expect([response.status, await response.json()]).toEqual([status, { error: expect.any(String) }]);
});

test("while it is read a clip is the box's alone", async () => {
  media.otherFiles = lasting(5);
  const sound = media.sound.bind(media);
  const modes: number[] = [];
  media.sound = async (path, options) => {
    for (const one of [path, dirname(path), dirname(dirname(path))])
      modes.push((await stat(one)).mode & 0o777);
    return sound(path, options);
  };
  expect((await upload()).status).toBe(200);
  expect(modes).toEqual([0o600, 0o700, 0o700]);
});

test.each(["ENOSPC", "EDQUOT"])("a disk that is full (%s) is said so", async (code) => {
  media.broken = Object.assign(new Error("no space"), { code });
  expect((await upload()).status).toBe(503);
});

test("a server that fails is a 502, one that clones nothing a 400", async () => {
  media.otherFiles = lasting(5);
  fake.status = 500;
  const failed = await upload();
  expect([failed.status, await failed.json()]).toEqual([
    502,
    { error: expect.stringContaining("speech server") },
  ]);
  fake.status = null;
  fake.cloning = null;
  expect((await upload()).status).toBe(400);
});

test("a voice is prepared, and the server's own answer passed through", async () => {
  fake.prepare = { status: 202, body: { queued: ["af_heart"] } };
  const prepare = (voice: string) => box.ask("/api/voice/prepare", { body: { voice } });
  const response = await prepare("af_heart");
  expect([response.status, await response.json()]).toEqual([202, { queued: ["af_heart"] }]);
  for (const voice of [" ", "nobody"]) {
    const refused = await prepare(voice);
    expect([refused.status, await refused.json()]).toEqual([
      400,
      { error: expect.stringContaining("voice") },
    ]);
  }
  fake.prepare = { status: 200, body: null, text: "warmed" };
  const plain = await prepare("af_heart");
  expect([plain.status, plain.headers.get("content-type"), await plain.text()]).toEqual([
    200,
    "text/plain; charset=utf-8",
    "warmed",
  ]);
  fake.prepare = { status: 204, body: null, text: "" };
  const silent = await prepare("af_heart");
  expect([silent.status, await silent.text()]).toEqual([204, ""]);
  fake.prepare = { status: 503, body: { secret: 1 } };
  const failed = await prepare("af_heart");
  expect([failed.status, await failed.json()]).toEqual([
    502,
    { error: expect.stringContaining("speech server") },
  ]);
});

test("a box with the built-in voice clones and prepares nothing, whatever its caller chose", async () => {
  const plain = await startTestBox();
  try {
    const form = new FormData();
    form.set("name", "x");
    form.set("file", new Blob([wavFile(new Int16Array(96_000), 24_000)]), "x.wav");
    for (const sent of [
      plain.ask("/api/voice/upload", { body: form }),
      plain.ask("/api/voice/prepare", { body: { voice: "en-us" } }),
    ]) {
      const response = await sent;
      expect([response.status, await response.json()]).toEqual([
        400,
        { error: expect.stringContaining("speech server") },
      ]);
    }
  } finally {
    await plain.close();
  }
});
