import { afterEach, beforeEach, expect, test } from "vitest";
import { CartesiaContext, cartesiaKey, FakeCartesia, katie, pierre } from "../../testing/fake-cartesia.ts";
import type { Tone } from "../../../contract/tones.ts";
import { VoiceFailure, type VoiceFault } from "../failure.ts";
import { Cartesia, cartesiaFault } from "./cartesia.ts";

let fake: FakeCartesia;
let engine: Cartesia;
const times = { openMs: 300, firstAudioMs: 300, silenceMs: 200, wholeMs: 1_500, idleMs: 60_000 };

beforeEach(async () => {
  fake = await FakeCartesia.start();
  engine = new Cartesia({ url: fake.url, times });
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

function speak({ text = "Hello.", voice = katie, key = cartesiaKey, tone = "neutral", signal }: Wish = {}) {
  return engine.speak({
    key,
    text,
    voice,
    tone,
    language: "en",
    signal: signal ?? new AbortController().signal,
  });
}

async function heard(wish: Wish = {}): Promise<number> {
  let samples = 0;
  for await (const pcm of speak(wish)) {
    expect(pcm.sampleRate).toBe(24_000);
    samples += pcm.samples.length;
  }
  return samples;
}

async function faultOf(wish: Wish = {}): Promise<VoiceFault> {
  const error = await heard(wish).then(
    () => null,
    (reason: unknown) => reason,
  );
  if (!(error instanceof VoiceFailure)) throw new Error("No VoiceFailure.", { cause: error });
  expect(error.message).not.toContain(cartesiaKey);
  return error.fault;
}

test("clauses go over one socket, each as a context with its tone and language", async () => {
  expect(await heard({ text: "One **two** 😀." })).toBe("One two .".length * 240);
  await heard({ text: "Why?", tone: "curious", voice: pierre });
  await heard({ text: "Oh no.", tone: "concerned" });
  expect(fake.upgrades).toBe(1);
  expect(fake.contexts.map(({ generation }) => generation)).toMatchObject([
    { voice: { id: katie }, language: "en" },
    { voice: { id: pierre }, generation_config: { emotion: "curious" } },
    { generation_config: { emotion: "sympathetic" } },
  ]);
  expect(fake.contexts[0]?.generation).not.toHaveProperty("generation_config");
  expect(new Set(fake.contexts.map(({ generation }) => generation.context_id)).size).toBe(3);
});

test("samples cut in half between chunks are put together", async () => {
  fake.onContext = (context) => {
    const bytes = Buffer.from(new Int16Array([1, -2, 3]).buffer);
    context.bytes(bytes.subarray(0, 3));
    context.bytes(bytes.subarray(3));
    context.done();
  };
  const samples: number[] = [];
  for await (const pcm of speak()) samples.push(...pcm.samples);
  expect(samples).toEqual([1, -2, 3]);
});

test("words of a context do not reach another", async () => {
  const contexts: CartesiaContext[] = [];
  fake.onContext = (context) => void contexts.push(context);
  const [first, second] = [heard({ text: "One." }), heard({ text: "Two." })];
  await expect.poll(() => contexts.length).toBe(2);
  for (const [index, context] of contexts.entries()) context.chunk(100 * (index + 1));
  contexts[1]?.done();
  contexts[0]?.done();
  expect(await Promise.all([first, second])).toEqual([100, 200]);
});

test("nothing is sent for a clause without words", async () => {
  expect(await heard({ text: " 😀 ** " })).toBe(0);
  expect(fake.upgrades).toBe(0);
});

test("an abort cancels the context at once and leaves the socket for the next", async () => {
  const stop = new AbortController();
  fake.onContext = (context) => context.chunk();
  const pieces: number[] = [];
  for await (const pcm of speak({ signal: stop.signal })) {
    pieces.push(pcm.samples.length);
    stop.abort();
  }
  expect(pieces).toEqual([240]);
  await expect.poll(() => fake.cancelled).toEqual([fake.contexts[0]?.generation.context_id]);
  fake.onContext = (context) => {
    context.chunk(10);
    context.done();
  };
  expect(await heard()).toBe(10);
  expect(fake.upgrades).toBe(1);
});

test("an abort before the socket opened waits for nothing", async () => {
  fake.refuse = 0;
  const stop = new AbortController();
  const speaking = heard({ signal: stop.signal });
  await expect.poll(() => fake.upgrades).toBe(1);
  stop.abort();
  expect(await speaking).toBe(0);
});

const troubles: [name: string, set: () => void, fault: VoiceFault][] = [
  ["an upgrade that hangs", () => (fake.refuse = 0), "timeout"],
  ["429 to the upgrade", () => (fake.refuse = 429), "busy"],
  ["402 to the upgrade", () => (fake.refuse = 402), "credit"],
  ["500 to the upgrade", () => (fake.refuse = 500), "unreachable"],
  ["a redirect of the upgrade", () => (fake.refuse = 302), "unreachable"],
  ["silence", () => (fake.onContext = () => undefined), "timeout"],
  ["silence after the first words", () => (fake.onContext = (context) => context.chunk()), "timeout"],
  [
    "an error of the account",
    () => (fake.onContext = (context) => context.fail(402, "quota_exceeded")),
    "credit",
  ],
  [
    "too many at once",
    () => (fake.onContext = (context) => context.fail(429, "concurrency_limited")),
    "busy",
  ],
  ["a refusal", () => (fake.onContext = (context) => context.fail(400, "transcript_empty")), "request"],
  ["an error of theirs", () => (fake.onContext = (context) => context.fail(500, "internal")), "unreachable"],
  ["no JSON", () => (fake.onContext = ({ socket }) => socket.send("<html>")), "unreachable"],
  ["JSON of another kind", () => (fake.onContext = ({ socket }) => socket.send("[1,2]")), "unreachable"],
  [
    "audio that is none",
    () => (fake.onContext = (context) => context.send({ type: "chunk", data: "%%" })),
    "unreachable",
  ],
  [
    "a close in mid-speech",
    () => (fake.onContext = (context) => (context.chunk(), context.socket.close(1011))),
    "unreachable",
  ],
  ["a connection that breaks", () => (fake.onContext = ({ socket }) => socket.terminate()), "unreachable"],
];

test.each(troubles)("%s is told apart, and the next clause is spoken", async (_, set, fault) => {
  set();
  expect(await faultOf()).toBe(fault);
  fake.refuse = null;
  fake.onContext = (context) => {
    context.chunk(5);
    context.done();
  };
  expect(await heard()).toBe(5);
});

test("a bad key, a voice that is not there, a key that is no header", async () => {
  expect(await faultOf({ key: "sk_car_another" })).toBe("key");
  expect(await faultOf({ key: "sk_car_\nX: y" })).toBe("unreachable");
  expect(await faultOf({ voice: "0a11c1de-0000-4000-8000-000000000000" })).toBe("voice");
});

test("a drip that never ends is ended", async () => {
  fake.onContext = (context) => {
    const timer = setInterval(() => context.chunk(1), 50);
    context.socket.once("close", () => clearInterval(timer));
  };
  expect(await faultOf()).toBe("timeout");
});

test("a socket that was closed while it waited costs nothing but a new one", async () => {
  await heard();
  for (const socket of fake.sockets) socket.terminate();
  expect(await heard()).toBeGreaterThan(0);
  // Half open: it takes the clause, and goes.
  fake.onContext = (context) => {
    if (fake.contexts.length === 3) context.socket.terminate();
    else {
      context.chunk(7);
      context.done();
    }
  };
  expect(await heard()).toBe(7);
  expect(fake.upgrades).toBe(3);
});

test("an unused socket is closed, and a key's own one serves its key alone", async () => {
  await engine.close();
  engine = new Cartesia({ url: fake.url, times: { ...times, idleMs: 50 } });
  fake.keys.add("sk_car_second");
  await engine.warm(cartesiaKey);
  await heard({ key: "sk_car_second" });
  expect(fake.upgrades).toBe(2);
  expect(engine.keys).toBe(2);
  await expect.poll(() => fake.sockets.size).toBe(0);
  // Nor does its key stay in memory, and one that was refused does not either.
  await expect.poll(() => engine.keys).toBe(0);
  expect(await heard()).toBeGreaterThan(0);
  expect(await faultOf({ key: "sk_car_refused" })).toBe("key");
  expect(engine.keys).toBe(1);
  for (const socket of fake.sockets) socket.terminate();
  await expect.poll(() => engine.keys).toBe(0);
});

test("a clause without sound was not spoken", async () => {
  fake.onContext = (context) => context.done();
  expect(await faultOf()).toBe("unreachable");
  fake.onContext = (context) => {
    context.bytes(Buffer.from([1]));
    context.done();
  };
  expect(await faultOf()).toBe("unreachable");
});

test("closing ends what is said and leaves no connection", async () => {
  fake.onContext = () => undefined;
  const speaking = faultOf();
  await expect.poll(() => fake.contexts.length).toBe(1);
  await engine.close();
  expect(await speaking).toBe("unreachable");
  await expect.poll(() => fake.connections).toBe(0);
  expect(await faultOf()).toBe("unreachable");
});

test("voices come page by page", async () => {
  fake.voices = Array.from({ length: 101 }, (_, index) => ({ id: `c ${index}`, name: `V${index}` }));
  const voices = await engine.listVoices(cartesiaKey, new AbortController().signal);
  expect(voices).toHaveLength(101);
  expect(fake.lists).toBe(2);
});

test.each<[number, string, VoiceFault]>([
  [400, "voice_invalid", "voice"],
  [401, "", "key"],
  [403, "", "key"],
  [404, "", "voice"],
  [418, "", "request"],
  [503, "", "unreachable"],
])("%d %s means %s", (status, code, fault) => expect(cartesiaFault(status, code)).toBe(fault));
