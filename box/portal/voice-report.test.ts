import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Writable } from "node:stream";
import { afterEach, beforeEach, expect, test } from "vitest";
import { builtinSampleBytes, builtinVoicesSchema } from "../../contract/internal/voices.ts";
import { previewLine } from "../../contract/voices.ts";
import { createLog } from "../ops/log.ts";
import { FakeVoice } from "../testing/fake-voice.ts";
import { builtinVoices } from "../voices/builtin-voices.ts";
import { EspeakVoice } from "../voices/espeak.ts";
import type { ListedVoice } from "../voices/voice.ts";
import { WavReader } from "../voices/wav.ts";
import { VoiceReport } from "./voice-report.ts";

interface Asked {
  method: string;
  url: string;
  authorization: string | undefined;
  body: Buffer;
}

let server: Server;
let asked: Asked[];
/** What the portal answers, by method and path; else it takes everything and wants nothing. */
let answers: Record<string, { status: number; body?: unknown }[]>;
let report: VoiceReport | null;
let portalUrl: string;
let logged: string;

beforeEach(async () => {
  asked = [];
  answers = {};
  report = null;
  logged = "";
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const { method = "", url = "" } = request;
    asked.push({ method, url, authorization: request.headers.authorization, body: Buffer.concat(chunks) });
    const queued = answers[`${method} ${url}`]?.shift();
    response.writeHead(queued?.status ?? 200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(queued?.body ?? { ok: true, samples_wanted: [] }));
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  portalUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await report?.close();
  server.closeAllConnections();
  server.close();
});

const list = "POST /internal/voices/builtin";
const wants = (...ids: string[]) => ({ status: 200, body: { samples_wanted: ids } });
const puts = () => asked.filter(({ method }) => method === "PUT").map(({ url }) => url);
const posts = () => asked.filter(({ method }) => method === "POST");

function start(engine: FakeVoice | EspeakVoice): VoiceReport {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  });
  report = new VoiceReport({
    portal: { url: portalUrl, secret: "secret-of-this-box" },
    engine,
    log: createLog("info", destination),
    retryMs: 1,
  });
  report.start();
  return report;
}

test("the portal hears of the voices and gets the samples it wants", async () => {
  answers[list] = [wants("en-us+f3", "somebody-elses")];
  const voice = new FakeVoice();
  start(voice);
  await expect.poll(puts).toEqual(["/internal/voices/builtin/en-us%2Bf3/sample"]);
  const [first, sample] = asked;
  expect(first?.authorization).toBe("Bearer secret-of-this-box");
  const { voices } = builtinVoicesSchema.parse(JSON.parse(String(first?.body)));
  expect(voices.map(({ id }) => id)).toEqual(["en-us+f2", "en-us+f3", "en-us+m3"]);
  const pcm = new WavReader().push(sample?.body ?? Buffer.alloc(0));
  expect(pcm?.sampleRate).toBe(8000);
  expect(pcm?.samples.length).toBe(previewLine("en-US").text.length * 80);
  expect(voice.spoken).toEqual([{ text: previewLine("en").text, voice: "en-us+f3", tone: "neutral" }]);
});

test("what the portal could not take is sent again, until it has all", async () => {
  const sample = "/internal/voices/builtin/en-us%2Bf2/sample";
  answers[list] = [
    { status: 503 },
    { status: 401 },
    wants("en-us+f2", "en-us+m3"),
    wants("en-us+f2", "en-us+m3"),
    wants("en-us+m3"),
  ];
  answers[`PUT ${sample}`] = [{ status: 500 }];
  answers["PUT /internal/voices/builtin/en-us%2Bm3/sample"] = [{ status: 429 }];
  start(new FakeVoice());
  const last = "/internal/voices/builtin/en-us%2Bm3/sample";
  await expect.poll(puts).toEqual([sample, sample, last, last]);
  expect(posts()).toHaveLength(5);
});

test("a portal that is not there yet is waited for", async () => {
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  start(new FakeVoice());
  await expect.poll(() => logged).toContain("did not take the voices yet");
  await new Promise<void>((resolve) => {
    server.listen(port, "127.0.0.1", resolve);
  });
  await expect.poll(() => posts().length).toBe(1);
});

test("a refusal ends it", async () => {
  answers[list] = [{ status: 404 }];
  const ended = start(new FakeVoice());
  await expect.poll(() => logged).toContain("the portal refused a voice");
  await ended.close();
  expect(asked).toHaveLength(1);
  expect(logged).not.toContain("did not take the voices yet");
});

test("a sample that is refused, or that the engine fails on, does not hold up the others", async () => {
  answers[list] = [wants("en-us+f2", "en-us+f3", "en-us+m3")];
  answers["PUT /internal/voices/builtin/en-us%2Bf3/sample"] = [{ status: 400 }];
  const voice = new FakeVoice();
  const synthesize = voice.synthesize.bind(voice);
  voice.synthesize = (request) => {
    voice.stumblesOver = request.voice === "en-us+f2" ? request.text : null;
    return synthesize(request);
  };
  start(voice);
  await expect
    .poll(puts)
    .toEqual(["/internal/voices/builtin/en-us%2Bf3/sample", "/internal/voices/builtin/en-us%2Bm3/sample"]);
  expect(posts()).toHaveLength(1);
});

test("the end does not wait for a portal that hangs", async () => {
  let arrived = () => {};
  const came = new Promise<void>((resolve) => {
    arrived = resolve;
  });
  server.removeAllListeners("request");
  server.on("request", () => arrived());
  const hanging = start(new FakeVoice());
  await came;
  await hanging.close();
});

test("an engine that is not there is not reported", async () => {
  const voice = new FakeVoice();
  voice.available = false;
  await start(voice).close();
  expect(asked).toEqual([]);
});

const espeak = await EspeakVoice.open();
const installed = espeak.state().state === "ready";
await espeak.close();

// `npm test` installs espeak-ng before it runs this; only a bare `vitest` on an unprepared machine skips it.
test.skipIf(!installed)(
  "espeak-ng has every call language, and its samples are within the limit",
  async () => {
    const engine = await EspeakVoice.open();
    try {
      const voices = builtinVoices(engine);
      const recommended = voices.filter((voice) => voice.recommended).map(({ language }) => language);
      expect(recommended).toEqual(["en-US", "es-ES", "fr-FR", "de-DE", "it-IT", "pt-BR", "hi-IN", "ja-JP"]);
      expect(new Set(voices.map(({ id }) => id)).size).toBe(voices.length);
      answers[list] = [wants(...recommendedIds(voices))];
      start(engine);
      await expect.poll(() => puts().length).toBe(recommended.length);
      for (const { body } of asked.filter(({ method }) => method === "PUT")) {
        expect(body.length).toBeLessThan(builtinSampleBytes);
        const pcm = new WavReader().push(body);
        const seconds = (pcm?.samples.length ?? 0) / (pcm?.sampleRate ?? 1);
        expect(seconds).toBeGreaterThan(1);
        expect(seconds).toBeLessThan(10);
        expect(pcm?.samples.some((sample) => Math.abs(sample) > 3000)).toBe(true);
      }
    } finally {
      await report?.close();
      await engine.close();
    }
  },
);

function recommendedIds(voices: ReturnType<typeof builtinVoices>): string[] {
  return voices.filter((voice) => voice.recommended).map(({ id }) => id);
}

test("a speech server's voices are reported once it has listed them, and nobody's clones", async () => {
  answers[list] = [wants("af_heart")];
  let listed: ListedVoice[] = [];
  const row = {
    provider: "local" as const,
    language: "en-US",
    gender: "",
    description: "",
    recommended: false,
  };
  const engine = Object.assign(new FakeVoice(), {
    list: () => Promise.resolve({ state: "ready" as const, reason: "", voices: listed }),
    mayUse: (voice: string, account: string | null) => voice !== "clone" || account !== null,
  });
  start(engine);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(asked).toEqual([]);
  listed = [
    { ...row, id: "af_heart", name: "Heart" },
    { ...row, id: "clone", name: "Somebody" },
  ];
  await expect.poll(() => puts()).toEqual(["/internal/voices/builtin/af_heart/sample"]);
  const { voices } = builtinVoicesSchema.parse(JSON.parse(posts()[0]?.body.toString() ?? ""));
  expect(voices.map(({ id }) => id)).toEqual(["af_heart"]);
});
