import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeSpeechServer, speakPcm, speakWav, type CloneWay } from "../../testing/fake-speech-server.ts";
import { Refusal } from "../../failure.ts";
import { VoiceError } from "../voice.ts";
import { cloneVoice, prepareVoice } from "./cloning.ts";
import { readListing } from "./listing.ts";
import { SpeechServerVoice } from "./speech-server.ts";

let fake: FakeSpeechServer;
let engine: SpeechServerVoice;
const times = {
  firstAudioMs: 300,
  silenceMs: 200,
  wholeMs: 1_500,
  listMs: 300,
  retryMs: 30,
  startingMs: 60_000,
};
const never = () => new AbortController().signal;

async function open(options: { apiKey?: string; startingMs?: number; suffix?: string } = {}): Promise<void> {
  await engine?.close();
  engine = await SpeechServerVoice.open({
    url: fake.url + (options.suffix ?? ""),
    apiKey: options.apiKey ?? null,
    model: "tts-1",
    times: { ...times, startingMs: options.startingMs ?? times.startingMs },
  });
}

beforeEach(async () => {
  fake = await FakeSpeechServer.start();
  await open();
});
afterEach(async () => {
  await engine.close();
  expect(fake.mistakes).toEqual([]);
  await expect.poll(() => fake.connections).toBe(0);
  await fake.close();
});

async function heard({ text = "Hello.", voice = "af_heart", signal = never() } = {}) {
  let samples = 0;
  const rates = new Set<number>();
  for await (const pcm of engine.synthesize({ text, voice, tone: "warm", signal })) {
    samples += pcm.samples.length;
    rates.add(pcm.sampleRate);
  }
  return { samples, rates: [...rates] };
}

test("raw samples are spoken as they come, with the model that was named", async () => {
  expect(await heard({ text: "One **two**." })).toEqual({
    samples: "One two .".length * 240,
    rates: [24_000],
  });
  expect(fake.spoken).toEqual([
    { model: "tts-1", input: "One two .", voice: "af_heart", response_format: "pcm", stream_format: "audio" },
  ]);
});

test("a WAV is read as one, whatever its type says, and raw samples at the rate that is told", async () => {
  fake.speech = (response) => speakWav(response, 100, 44_100);
  expect(await heard()).toEqual({ samples: 100, rates: [44_100] });
  fake.speech = (response) => speakPcm(response, 100, "audio/L16; rate=16000; channels=1");
  expect(await heard()).toEqual({ samples: 100, rates: [16_000] });
});

test("a server that speaks no raw samples is asked for a WAV, from then on at once", async () => {
  fake.speech = (response, { response_format }) => {
    if (response_format === "pcm") response.writeHead(400).end();
    else speakWav(response, 100, 22_050);
  };
  expect(await heard()).toEqual({ samples: 100, rates: [22_050] });
  await heard();
  expect(fake.spoken.map(({ response_format }) => response_format)).toEqual(["pcm", "wav", "wav"]);
});

test("an abort closes the request, and a server that hangs is given up", async () => {
  const stop = new AbortController();
  fake.speech = (response) => {
    response.writeHead(200, { "Content-Type": "audio/pcm" }).write(Buffer.alloc(480));
    setTimeout(() => stop.abort(), 20);
  };
  expect((await heard({ signal: stop.signal })).samples).toBe(240);
  await expect(heard()).rejects.toThrow("took too long");
  fake.speech = () => undefined;
  await expect(heard()).rejects.toThrow("took too long");
});

test.each<[string, NonNullable<FakeSpeechServer["speech"]>]>([
  ["500", (response) => response.writeHead(500).end("secret")],
  ["401", (response) => response.writeHead(401).end("secret")],
  ["429", (response) => response.writeHead(429).end("secret")],
  ["a page", (response) => response.writeHead(200, { "Content-Type": "text/html" }).end("secret")],
  ["MP3", (response) => response.writeHead(200, { "Content-Type": "audio/mpeg" }).end("secret")],
  ["nothing", (response) => response.writeHead(200, { "Content-Type": "audio/pcm" }).end()],
  ["half a WAV header", (response) => response.writeHead(200).end("RIFF")],
  ["a broken WAV", (response) => response.writeHead(200).end("RIFFabcdXXXX".padEnd(80, "x"))],
  ["a rate that is none", (response) => speakPcm(response, 9, "audio/L16; rate=3")],
])("%s fails the clause in the box's own words", async (_, speech) => {
  fake.speech = speech;
  const error = await heard().catch((reason: unknown) => reason);
  expect(error).toBeInstanceOf(VoiceError);
  expect(String(error)).not.toContain("secret");
});

test.each<[string, (voices: string[]) => unknown]>([
  ["names", (voices) => ({ voices })],
  ["rows with ids", (voices) => ({ voices: voices.map((id) => ({ id, name: id })) })],
  ["rows with names", (voices) => ({ voices: voices.map((name) => ({ name, filename: "x.wav" })) })],
  ["a list under data", (voices) => ({ object: "list", data: voices.map((id) => ({ id })) })],
  ["a bare list", (voices) => voices],
])("voices listed as %s are understood", async (_, listOf) => {
  fake.listOf = listOf;
  const { state, voices } = await engine.list({ refresh: true });
  expect(state).toBe("ready");
  expect(voices.map(({ id, language, gender, recommended }) => [id, language, gender, recommended])).toEqual([
    ["af_heart", "en-US", "female", true],
    ["am_adam", "en-US", "male", false],
    ["ff_siwis", "fr-FR", "female", false],
  ]);
  expect(voices[0]?.name).toBe("Heart");
});

test("older paths are found, a server that lists none has OpenAI's names, and its address may end in v1", async () => {
  fake.listPath = "/v1/voices";
  await open({ suffix: "/v1" });
  expect(engine.has("am_adam")).toBe(true);
  fake.listPath = null;
  await open();
  expect([engine.has("alloy"), engine.has("am_adam"), engine.defaultVoice(null)]).toEqual([
    true,
    false,
    "alloy",
  ]);
  expect(engine.inLanguage("alloy", "de")).toBe("alloy");
});

test("a voice keeps its gender in another language, and itself where there is none", async () => {
  expect(engine.inLanguage("af_heart", "fr")).toBe("ff_siwis");
  expect(engine.inLanguage("af_heart", "de")).toBe("af_heart");
  expect(engine.defaultVoice("maya", "fr")).toBe("ff_siwis");
  await heard({ text: "こんにちは" });
  expect(fake.spoken.at(-1)?.voice).toBe("af_heart");
});

test("a server that is not there yet is starting, later gone, and found again when it comes", async () => {
  const { port } = fake;
  await fake.close();
  fake = await FakeSpeechServer.start();
  await engine.close();
  const options = { url: `http://127.0.0.1:${port}`, apiKey: null, model: "tts-1" };
  engine = await SpeechServerVoice.open({ ...options, times });
  expect(engine.state().state).toBe("starting");
  expect((await engine.list({ refresh: false })).state).toBe("starting");
  await engine.close();
  engine = await SpeechServerVoice.open({ ...options, times: { ...times, startingMs: 0 } });
  expect(engine.state()).toEqual({ state: "unavailable", detail: "The speech server cannot be reached." });
  await fake.close();
  fake = await FakeSpeechServer.start(port);
  await expect.poll(() => engine.state().state).toBe("ready");
  await fake.close();
  await expect(heard()).rejects.toThrow(VoiceError);
  expect(engine.state().state).toBe("unavailable");
  fake = await FakeSpeechServer.start(port);
  await expect.poll(() => engine.state().state).toBe("ready");
});

test("the box's key is sent, and one that is not taken is said so", async () => {
  fake.apiKey = "key-of-the-box";
  await open({ apiKey: "key-of-the-box" });
  expect((await heard()).samples).toBeGreaterThan(0);
  await open({ apiKey: "another" });
  expect((await engine.list({ refresh: true })).state).toBe("key_problem");
  expect(engine.state().state).toBe("unavailable");
});

const clip = () => ({ account: "ada", name: "Ada's Voice", wav: new Uint8Array([1, 2, 3]), signal: never() });

test.each<CloneWay>([
  { path: "/v1/audio/voices", name: "name", file: "audio_sample" },
  { path: "/v1/audio/voices", name: "name", file: "file" },
  { path: "/v1/voices", name: "voice_name", file: "voice_file" },
  { path: "/v1/voices", name: "name", file: "file" },
])("a voice is cloned the way $path $file, and is its account's alone", async (way) => {
  fake.cloning = way;
  const id = await cloneVoice(engine, clip());
  expect(id).toMatch(/^ada_s_voice_[0-9a-f]{6}_vv[0-9a-f]{16}$/);
  expect(fake.clips).toMatchObject([{ name: id, type: "audio/wav" }]);
  expect(engine.has(id)).toBe(true);
  expect([engine.mayUse(id, "ada"), engine.mayUse(id, "bob"), engine.mayUse(id, null)]).toEqual([
    true,
    false,
    false,
  ]);
  expect((await engine.list({ refresh: false })).voices.find((voice) => voice.id === id)?.name).toBe(
    "Ada's Voice",
  );
  expect(engine.defaultVoice(null)).toBe("af_heart");
});

test("a server that gives clones ids of its own keeps them their account's", async () => {
  fake.listOf = (voices) => ({ voices: voices.map((name) => ({ id: `v-${name.length}`, name })) });
  fake.cloned = (name) => ({ id: `v-${name.length}`, name });
  const id = await cloneVoice(engine, clip());
  expect(id).toMatch(/^v-\d+$/);
  expect([engine.mayUse(id, "ada"), engine.mayUse(id, "bob")]).toEqual([true, false]);
});

test("a server that clones none is no fault of the clip's", async () => {
  fake.cloning = null;
  await expect(cloneVoice(engine, clip())).rejects.toBeInstanceOf(Refusal);
  fake.status = 500;
  await expect(cloneVoice(engine, clip())).rejects.toBeInstanceOf(VoiceError);
});

test("a voice is prepared by the server, or else by speaking a word", async () => {
  fake.prepare = { status: 202, body: { warming: "af_heart" } };
  const asked = { voice: "af_heart", signal: never() };
  expect(await prepareVoice(engine, asked)).toEqual({
    status: 202,
    type: "application/json",
    bytes: Buffer.from('{"warming":"af_heart"}'),
  });
  fake.prepare = null;
  expect((await prepareVoice(engine, asked)).bytes.toString()).toBe('{"ok":true,"voice":"af_heart"}');
  expect(fake.spoken).toHaveLength(1);
  fake.prepare = { status: 500, body: {} };
  await expect(prepareVoice(engine, asked)).rejects.toBeInstanceOf(VoiceError);
});

test.each([null, "voices", 3, {}, { voices: 3 }, { voices: { a: 1 } }])(
  "%j is no list of voices",
  (answer) => {
    expect(readListing(answer)).toBeNull();
  },
);

test("rows that are none are left out, and no list is endless", () => {
  const rows = [
    null,
    4,
    {},
    { id: "" },
    { id: "x".repeat(300) },
    { id: "good" },
    { id: "good", name: "Again" },
  ];
  expect(readListing(rows)?.map(({ voice }) => voice.id)).toEqual(["good"]);
  expect(readListing(Array.from({ length: 9_000 }, (_, index) => `v${index}`))).toHaveLength(2_000);
});
