// The built-in recogniser with its real decoder, and one that fails as ours never does.

import { execFile } from "node:child_process";
import { Writable } from "node:stream";
import { promisify } from "node:util";
import { afterEach, beforeAll, expect, test } from "vitest";
import type { RecogniserOptions } from "../../native/binding/index.js";
import { createLog } from "../ops/log.ts";
import { PocketSphinx, type NativeRecogniser, type PocketSphinxOptions } from "./pocketsphinx.ts";
import { RecognitionError, type RecognitionEvent } from "./recogniser.ts";

const rate = 16_000;
const sentences = ["i want to go to london", "we are going to the airport tomorrow"] as const;
let speech: Int16Array[];
let open: PocketSphinx[] = [];
let logged: { level: number; msg: string }[] = [];

/** eSpeak NG at 16 kHz, with a lead-in and a little silence behind it, as the ears pass it on. */
async function say(sentence: string): Promise<Int16Array> {
  const args = ["-v", "en-us", "-s", "150", "--stdout", sentence];
  const { stdout } = await promisify(execFile)("espeak-ng", args, { encoding: "buffer" });
  const from = stdout.readInt32LE(24);
  const body = stdout.subarray(44);
  const at = (i: number) => (2 * i + 1 < body.length ? body.readInt16LE(2 * i) : 0);
  const words = Array.from({ length: Math.floor((body.length / 2) * (rate / from)) }, (_, i) => {
    const left = Math.floor((i * from) / rate);
    const share = (i * from) / rate - left;
    return Math.trunc(at(left) * (1 - share) + at(left + 1) * share);
  });
  const pause = Array.from({ length: Math.floor(rate / 3) }, () => 0);
  return Int16Array.from([...pause, ...words, ...pause]);
}

function start(options: Partial<PocketSphinxOptions> = {}): PocketSphinx {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      for (const line of chunk.toString().trim().split("\n")) logged.push(JSON.parse(line));
      done();
    },
  });
  const provider = new PocketSphinx({ log: createLog("info", destination), ...options });
  open.push(provider);
  return provider;
}

async function listen(provider: PocketSphinx, language: "en" | "fr" = "en") {
  const events: RecognitionEvent[] = [];
  const recognition = await provider.open({ language, onEvent: (event) => events.push(event) });
  const hear = (samples: Int16Array | undefined) => {
    for (let i = 0; samples && i < samples.length; i += 512) recognition.push(samples.subarray(i, i + 512));
    return recognition.settle();
  };
  return { recognition, events, hear };
}

/** Decoders of a test: how many were made, and how each behaves. */
function fakeDecoders(changes: Partial<NativeRecogniser> = {}) {
  const made: { options: RecogniserOptions; calls: string[] }[] = [];
  const load = (options: RecogniserOptions): Promise<NativeRecogniser> => {
    const calls: string[] = [];
    made.push({ options, calls });
    return Promise.resolve({
      ready: Promise.resolve(),
      push: () => true,
      settle: () => Promise.resolve("words"),
      drop: () => void calls.push("drop"),
      beginSpeaker: () => void calls.push("beginSpeaker"),
      close: () => Promise.resolve(void calls.push("close")),
      ...changes,
    });
  };
  return { made, load };
}

beforeAll(async () => {
  speech = await Promise.all(sentences.map(say));
});

afterEach(async () => {
  await Promise.all(open.map((provider) => provider.close()));
  open = [];
  logged = [];
});

test("it loads in the background, then hears turn after turn", async () => {
  const provider = start();
  expect(provider.state()).toEqual({ state: "starting", detail: expect.stringContaining("loaded") });
  const { recognition, events, hear } = await listen(provider);
  expect(provider.state()).toEqual({ state: "ready", detail: "" });
  expect(await hear(speech[0])).toBe("I want to go to london");
  const partials = events.flatMap((event) => (event.case === "partial" ? [event.text] : []));
  expect(partials).toContain("I want");
  expect(partials.length).toBe(events.length);
  expect(await hear(speech[1])).toBe("we are going to the airport tomorrow");
  expect(await recognition.settle()).toBe("");
});

test("a dropped turn leaves nothing behind", async () => {
  const { recognition, hear, events } = await listen(start());
  for (const samples of speech) recognition.push(samples);
  recognition.drop();
  const before = events.length;
  expect(await recognition.settle()).toBe("");
  expect(events.length).toBe(before);
  expect(await hear(speech[1])).toBe("we are going to the airport tomorrow");
});

test("another language is heard as English, and the log says so once", async () => {
  const { recognition, hear } = await listen(start(), "fr");
  recognition.setLanguage("de");
  expect(await hear(speech[0])).toBe("I want to go to london");
  expect(logged.filter(({ msg }) => msg.includes("English only"))).toHaveLength(1);
});

test("a missing model makes it unavailable, and listening is refused without a word about where it was looked for", async () => {
  const provider = start({ modelDir: "/nonexistent/visavis" });
  const refused = listen(provider);
  await expect(refused).rejects.toThrow(RecognitionError);
  await expect(refused).rejects.toThrow("could not be loaded on this box");
  expect(provider.state()).toEqual({
    state: "unavailable",
    detail: expect.not.stringContaining("nonexistent"),
  });
  expect(logged).toContainEqual(
    expect.objectContaining({ error: "Error: the speech model lacks /nonexistent/visavis/en-us" }),
  );
});

test("listeners one after another share a decoder that forgets the one before; at once each has its own", async () => {
  const { made, load } = fakeDecoders();
  const provider = start({ load });
  const first = await listen(provider);
  const second = await listen(provider);
  expect(made).toHaveLength(2);
  made[0]?.options.onHypothesis("to the first");
  made[1]?.options.onHypothesis("to the second");
  expect(first.events).toEqual([{ case: "partial", text: "to the first" }]);
  expect(second.events).toEqual([{ case: "partial", text: "to the second" }]);
  await first.recognition.close();
  await first.recognition.close();
  made[0]?.options.onHypothesis("too late");
  expect(first.events).toHaveLength(1);
  await second.recognition.close();
  expect(made.map(({ calls }) => calls)).toEqual([["beginSpeaker"], ["beginSpeaker", "close"]]);
  const third = await listen(provider);
  made[0]?.options.onHypothesis("to the third");
  expect(third.events).toEqual([{ case: "partial", text: "to the third" }]);
  expect(made).toHaveLength(2);
});

test("a decoder that breaks is told of once, in our words, and is not used again", async () => {
  const { made, load } = fakeDecoders({ settle: () => Promise.reject(new Error("secret innards")) });
  const provider = start({ load });
  const { recognition, events } = await listen(provider);
  await expect(recognition.settle()).rejects.toThrow("The built-in speech recogniser failed.");
  await expect(recognition.settle()).rejects.toThrow(RecognitionError);
  recognition.push(new Int16Array(160));
  recognition.drop();
  expect(events).toEqual([{ case: "failed", message: "The built-in speech recogniser failed." }]);
  await recognition.close();
  expect(made[0]?.calls).toEqual(["close"]);
  await listen(provider);
  expect(made).toHaveLength(2);
});

test("a decoder that breaks by itself is told of at once, and in nobody's hands it is not handed out", async () => {
  const { made, load } = fakeDecoders();
  const provider = start({ load });
  const first = await listen(provider);
  made[0]?.options.onFailed?.("secret innards");
  expect(first.events).toEqual([{ case: "failed", message: "The built-in speech recogniser failed." }]);
  await expect(first.recognition.settle()).rejects.toThrow(RecognitionError);
  await first.recognition.close();
  const second = await listen(provider);
  await second.recognition.close();
  made[1]?.options.onFailed?.("secret innards");
  const third = await listen(provider);
  expect(made).toHaveLength(3);
  made[2]?.options.onHypothesis("to the third");
  expect(third.events).toEqual([{ case: "partial", text: "to the third" }]);
  expect(made.map(({ calls }) => calls.at(-1))).toEqual(["close", "close", undefined]);
});

test("a decoder that falls behind loses words, and the log says so once", async () => {
  const { load } = fakeDecoders({ push: () => false });
  const { recognition } = await listen(start({ load }));
  recognition.push(new Int16Array(160));
  recognition.push(new Int16Array(160));
  expect(logged.filter(({ msg }) => msg.includes("fallen behind"))).toHaveLength(1);
});

test("closing frees every decoder, also one that is still loading, and nothing opens afterwards", async () => {
  const { made, load } = fakeDecoders();
  const provider = start({ load });
  const { recognition } = await listen(provider);
  await listen(provider);
  await provider.close();
  expect(made.map(({ calls }) => calls.at(-1))).toEqual(["close", "close"]);
  await expect(listen(provider)).rejects.toThrow("The box is closing.");
  await recognition.close();
  const real = start();
  const early = listen(real);
  await Promise.all([real.close(), expect(early).rejects.toThrow(RecognitionError)]);
  expect(logged.filter(({ level }) => level >= 50)).toEqual([]);
});
