import type { ServerResponse } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import type { Tone } from "../../../contract/tones.ts";
import { elevenlabsKey, FakeElevenLabs, refuse, sarah, say } from "../../testing/fake-elevenlabs.ts";
import { VoiceFailure, type VoiceFault } from "../failure.ts";
import { ElevenLabs, elevenlabsFault } from "./elevenlabs.ts";

let fake: FakeElevenLabs;
let engine: ElevenLabs;
const times = { firstAudioMs: 300, silenceMs: 200, wholeMs: 1_500 };

beforeEach(async () => {
  fake = await FakeElevenLabs.start();
  engine = new ElevenLabs({ url: fake.url, times });
});
afterEach(async () => {
  await engine.close();
  expect(fake.mistakes).toEqual([]);
  await fake.close();
});

interface Wish {
  text?: string;
  voice?: string;
  key?: string;
  tone?: Tone;
  signal?: AbortSignal;
}

async function heard({
  text = "Hello.",
  voice = sarah,
  key = elevenlabsKey,
  tone = "neutral",
  signal,
}: Wish = {}) {
  const rates = new Set<number>();
  let samples = 0;
  const speech = engine.speak({
    key,
    text,
    voice,
    tone,
    language: null,
    signal: signal ?? new AbortController().signal,
  });
  for await (const pcm of speech) {
    samples += pcm.samples.length;
    rates.add(pcm.sampleRate);
  }
  return { samples, rates: [...rates] };
}

async function faultOf(wish: Wish = {}): Promise<VoiceFault> {
  const error = await heard(wish).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof VoiceFailure)) throw new Error("No VoiceFailure.", { cause: error });
  expect(error.message).not.toContain(elevenlabsKey);
  return error.fault;
}

test("clauses go over one kept connection, with the delivery of their tone", async () => {
  expect(await heard({ text: "One _two_." })).toEqual({
    samples: "One  two .".replace("  ", " ").length * 240,
    rates: [24_000],
  });
  await heard({ text: "Great!", tone: "excited" });
  expect(fake.opened).toBe(1);
  expect(fake.spoken.map(({ body }) => body.voice_settings)).toEqual([
    undefined,
    { stability: 0.25, speed: 1.08 },
  ]);
  expect(fake.spoken.map(({ format }) => format)).toEqual(["pcm_24000", "pcm_24000"]);
});

test("a connection opened ahead is used, and the key is not sent for it", async () => {
  await engine.warm();
  // It goes back to the others within a turn of the event loop.
  await new Promise((resolve) => setImmediate(resolve));
  await heard();
  expect(fake.opened).toBe(1);
});

test.each([
  ["never ends", (response: ServerResponse) => response.write("x")],
  [
    "is endless",
    (response: ServerResponse) => {
      const timer = setInterval(() => response.write(Buffer.alloc(64 * 1024)), 1);
      response.once("close", () => clearInterval(timer));
    },
  ],
])("a connection whose first answer %s is given up", async (_, page) => {
  fake.page = page;
  await engine.warm();
  await expect.poll(() => fake.connections).toBe(0);
});

test("a plan without the usual rate gets the lower one, from then on at once", async () => {
  fake.speech = (response, { format }) => {
    if (format === "pcm_24000") refuse(response, 403, "output_format_not_allowed");
    else say(response, new Int16Array(160));
  };
  expect(await heard()).toEqual({ samples: 160, rates: [16_000] });
  await heard();
  expect(fake.spoken.map(({ format }) => format)).toEqual(["pcm_24000", "pcm_16000", "pcm_16000"]);
  fake.keys.add("sk_second_key");
  fake.speech = null;
  expect((await heard({ key: "sk_second_key" })).rates).toEqual([24_000]);
});

test("an abort closes the request at once", async () => {
  fake.speech = (response) => {
    response.writeHead(200, { "Content-Type": "audio/pcm" });
    response.write(Buffer.alloc(480));
  };
  const stop = new AbortController();
  const speech = engine.speak({
    key: elevenlabsKey,
    text: "Hello.",
    voice: sarah,
    tone: "neutral",
    language: null,
    signal: stop.signal,
  });
  let pieces = 0;
  for await (const _ of speech) {
    pieces++;
    stop.abort();
  }
  expect(pieces).toBe(1);
  await expect.poll(() => fake.abandoned).toBe(1);
  stop.abort();
  expect(await heard({ signal: AbortSignal.abort() })).toEqual({ samples: 0, rates: [] });
});

const begin = (response: ServerResponse, type = "audio/pcm") =>
  response.writeHead(200, { "Content-Type": type });

const troubles: [name: string, speech: NonNullable<FakeElevenLabs["speech"]>, fault: VoiceFault][] = [
  ["silence", () => undefined, "timeout"],
  ["silence after the first words", (response) => void begin(response).write(Buffer.alloc(480)), "timeout"],
  ["a bad key", (response) => refuse(response, 401, "invalid_api_key"), "key"],
  ["no credit", (response) => refuse(response, 401, "quota_exceeded"), "credit"],
  ["no payment", (response) => refuse(response, 402, "payment_required"), "credit"],
  ["too many at once", (response) => refuse(response, 429, "too_many_concurrent_requests"), "busy"],
  ["500", (response) => refuse(response, 500, "internal"), "unreachable"],
  [
    "a redirect",
    (response) => void response.writeHead(302, { Location: "http://127.0.0.1:1/" }).end(),
    "unreachable",
  ],
  ["a page", (response) => void begin(response, "text/html").end("<html>"), "unreachable"],
  ["nothing at all", (response) => void begin(response).end(), "unreachable"],
  [
    "a connection that breaks",
    (response) => void begin(response).write(Buffer.alloc(9), () => response.destroy()),
    "unreachable",
  ],
  [
    "a drip that never ends",
    (response) => {
      begin(response);
      const timer = setInterval(() => response.write(Buffer.alloc(2)), 50);
      response.once("close", () => clearInterval(timer));
    },
    "timeout",
  ],
];

test.each(troubles)("%s is told apart, and the next clause is spoken", async (_, speech, fault) => {
  fake.speech = speech;
  expect(await faultOf()).toBe(fault);
  fake.speech = null;
  expect((await heard()).samples).toBeGreaterThan(0);
});

test("a voice that is not there, or no id at all", async () => {
  expect(await faultOf({ voice: "AAAAAAAAAAAAAAAAAAAA" })).toBe("voice");
  expect(await faultOf({ voice: "../../v1/user" })).toBe("voice");
  expect(fake.spoken).toHaveLength(1);
});

test("a key that cannot be sent is none, and a server that is gone is unreachable", async () => {
  expect(await faultOf({ key: "sk_\n" })).toBe("key");
  await fake.close();
  expect(await faultOf()).toBe("unreachable");
  fake = await FakeElevenLabs.start();
});

test("closing ends what is said and leaves no connection", async () => {
  fake.speech = (response) => void begin(response).write(Buffer.alloc(480));
  const speaking = faultOf();
  await expect.poll(() => fake.spoken.length).toBe(1);
  await engine.close();
  expect(await speaking).toBe("unreachable");
  await expect.poll(() => fake.connections).toBe(0);
});

test("voices come page by page, in the shape of a catalogue", async () => {
  const { signal } = new AbortController();
  expect(await engine.listVoices(elevenlabsKey, signal)).toEqual([
    {
      provider: "elevenlabs",
      id: sarah,
      name: "Sarah",
      language: "en",
      gender: "female",
      description: "Mature, reassuring.",
      recommended: true,
    },
  ]);
  fake.voices = Array.from({ length: 101 }, (_, index) => ({ voice_id: `e${index}`, name: `V${index}` }));
  expect(await engine.listVoices(elevenlabsKey, signal)).toHaveLength(101);
});

test.each<[number, string, VoiceFault]>([
  [401, "missing_permissions", "credit"],
  [401, "", "key"],
  [422, "", "request"],
  [400, "voice_does_not_exist", "voice"],
])("%d %s means %s", (status, word, fault) => expect(elevenlabsFault(status, word)).toBe(fault));
