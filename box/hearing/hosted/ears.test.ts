// The hosted recognisers as the box hears with them: microphone in, turns out.

import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../../ops/log.ts";
import { FakeDeepgram } from "../../testing/fake-deepgram.ts";
import { FakeOpenAiRealtime } from "../../testing/fake-openai-realtime.ts";
import { Deepgram } from "../deepgram.ts";
import { earsOf } from "../ears.ts";
import type { Ears, Listener, ListenerEvent } from "../listener.ts";
import { OpenAiRealtime } from "../openai-realtime.ts";
import type { RecogniserProvider } from "../recogniser.ts";
import { configuredRecogniser } from "../recognisers.ts";

const log = createLog("silent");
/** Whatever is loud is speech. */
const scorer = {
  score: (frame: Int16Array) => Promise.resolve(frame.some((sample) => Math.abs(sample) > 1_000) ? 1 : 0),
};
let ears: Ears | null = null;
let events: ListenerEvent[];
let deepgram: FakeDeepgram;
let openai: FakeOpenAiRealtime;

beforeEach(async () => {
  events = [];
  [deepgram, openai] = await Promise.all([FakeDeepgram.start(), FakeOpenAiRealtime.start()]);
});
afterEach(async () => {
  await ears?.close();
  await Promise.all([deepgram.close(), openai.close()]);
});

async function listen(provider: RecogniserProvider): Promise<Listener> {
  ears = earsOf({
    provider,
    log,
    load: () => Promise.resolve({ scorer: () => scorer, close: () => Promise.resolve() }),
  });
  return ears.listen({ language: "en", playback: null, onEvent: (event) => events.push(event) });
}

/** So many milliseconds of a microphone, in frames of 20 ms. */
async function speak(listener: Listener, milliseconds: number, level: number): Promise<void> {
  for (let at = 0; at < milliseconds; at += 20) {
    listener.push(Int16Array.from({ length: 320 }, (_, index) => (index % 32 < 16 ? level : -level)));
    await new Promise((resolve) => setImmediate(resolve));
  }
}

const kinds = () => new Set(events.map((event) => event.case));
const turns = () => events.flatMap((event) => (event.case === "turn" ? [event.text] : []));

test("Deepgram's words become a turn once the speaker has been silent", async () => {
  deepgram.onControl = (line, type) => {
    if (type === "Finalize")
      line.result({ text: "How are you today?", duration: line.seconds, final: true, fromFinalize: true });
  };
  const listener = await listen(new Deepgram({ apiKey: "k", url: deepgram.url, model: "m", log }));
  await speak(listener, 1_000, 8_000);
  const line = await deepgram.line();
  line.result({ text: "how are you", duration: line.seconds });
  await expect.poll(() => [...kinds()]).toEqual(expect.arrayContaining(["speech_started", "partial"]));
  const quiet = new AbortController();
  const silence = (async () => {
    while (!quiet.signal.aborted) await speak(listener, 20, 0);
  })();
  await expect.poll(turns).toEqual(["How are you today?"]);
  quiet.abort();
  await silence;
  expect(kinds()).not.toContain("failed");
});

test("OpenAI's turns are passed on as they are heard", async () => {
  const listener = await listen(new OpenAiRealtime({ apiKey: "k", url: openai.url, model: "m", log }));
  expect(ears?.mode).toBe("openai_realtime");
  await speak(listener, 400, 8_000);
  const session = await openai.session();
  session.spoke("a");
  session.completed("a", "Good morning.");
  await expect.poll(turns).toEqual(["Good morning."]);
  expect(kinds()).toContain("speech_started");
  expect(kinds()).not.toContain("partial");
});

test("the configuration chooses the recogniser", async () => {
  const shared = { apiKey: "k", url: "ws://127.0.0.1:1", model: "m" };
  for (const kind of ["deepgram", "openai_realtime"] as const) {
    const provider = await configuredRecogniser({ config: { recogniser: { kind, ...shared } }, log });
    expect(provider?.id).toBe(kind);
    await provider?.close();
  }
  expect(await configuredRecogniser({ config: { recogniser: { kind: "none" } }, log })).toBeNull();
});
