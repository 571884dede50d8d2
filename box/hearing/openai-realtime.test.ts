import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../ops/log.ts";
import { FakeOpenAiRealtime, type RealtimeSession } from "../testing/fake-openai-realtime.ts";
import { OpenAiRealtime, type OpenAiRealtimeOptions } from "./openai-realtime.ts";
import { RecognitionError, type Recognition, type RecognitionEvent } from "./recogniser.ts";

const apiKey = "sk-secret-key";
let fake: FakeOpenAiRealtime;
let provider: OpenAiRealtime;
let logged: string;
let events: RecognitionEvent[];
const log = createLog("debug", { write: (line: string) => void (logged += line) });

const providerWith = (options: Partial<OpenAiRealtimeOptions> = {}) =>
  new OpenAiRealtime({ apiKey, url: fake.url, model: "gpt-4o-transcribe", log, ...options });

beforeEach(async () => {
  logged = "";
  events = [];
  fake = await FakeOpenAiRealtime.start();
  provider = providerWith();
});
afterEach(async () => {
  await provider.close();
  await fake.close();
  expect(logged).not.toContain("secret");
  expect(JSON.stringify(events)).not.toContain("secret");
});

async function open(language: "en" | "ja" = "en"): Promise<[Recognition, RealtimeSession]> {
  const recognition = await provider.open({ language, onEvent: (event) => events.push(event) });
  const session = fake.sessions.at(-1);
  if (!session) throw new Error("no session");
  return [recognition, session];
}

const turns = () => events.flatMap((event) => (event.case === "turn" ? [event.text] : []));
const kinds = () => events.map((event) => event.case);

test("the session is one of transcription, whose turns the service hears", async () => {
  provider = providerWith({ url: `${fake.url}?model=gpt-realtime` });
  const [, session] = await open("ja");
  expect(Object.fromEntries(session.query)).toEqual({ intent: "transcription" });
  expect(session.headers.authorization).toBe(`Bearer ${apiKey}`);
  expect(session.headers["openai-beta"]).toBeUndefined();
  expect(session.updates).toEqual([
    {
      type: "transcription",
      audio: {
        input: {
          format: { type: "audio/pcm", rate: 24_000 },
          noise_reduction: { type: "near_field" },
          transcription: { model: "gpt-4o-transcribe", language: "ja" },
          turn_detection: { type: "semantic_vad" },
        },
      },
    },
  ]);
});

test("audio goes up at 24 kHz, whatever pieces it comes in", async () => {
  const [recognition, session] = await open();
  const tone = Int16Array.from({ length: 16_000 }, (_, index) =>
    Math.round(12_000 * Math.sin((2 * Math.PI * 440 * index) / 16_000)),
  );
  for (let at = 0, size = 1; at < tone.length; at += size, size = (size * 7) % 1_000)
    recognition.push(tone.subarray(at, at + size));
  await session.until(24_000);
  expect(session.samples).toHaveLength(24_000);
  // 440 Hz crosses zero 880 times a second at any rate; the filter begins with a few samples of nothing.
  const steady = session.samples.slice(100);
  const crossings = steady.filter(
    (sample, index) => index > 0 && sample >= 0 !== (steady[index - 1] ?? 0) >= 0,
  );
  expect(Math.abs(crossings.length - (880 * steady.length) / 24_000)).toBeLessThan(2);
  expect(Math.max(...session.samples)).toBeGreaterThan(11_500);
  expect(Math.max(...session.samples)).toBeLessThan(12_500);
});

test("speech and turns come from the service, in the order they were spoken in", async () => {
  const [, session] = await open();
  session.spoke("a");
  session.spoke("b");
  session.spoke("c");
  session.completed("c", "Three.");
  session.delta("a", "On");
  session.completed("b", "Two.");
  session.completed("a", " One. ");
  await expect.poll(turns).toEqual(["One.", "Two.", "Three."]);
  expect(kinds()).toEqual(["speech_started", "speech_started", "speech_started", "turn", "turn", "turn"]);
});

test("a commit says what it comes after, also when the starts were told out of order", async () => {
  const [, session] = await open();
  session.started("b");
  session.send({ type: "input_audio_buffer.committed", item_id: "a", previous_item_id: null });
  session.send({ type: "input_audio_buffer.committed", item_id: "b", previous_item_id: "a" });
  session.completed("b", "Two.");
  session.completed("a", "One.");
  await expect.poll(turns).toEqual(["One.", "Two."]);
});

test("speech without words is no turn and holds no other turn up", async () => {
  const [, session] = await open();
  for (const id of ["a", "b", "c"]) session.spoke(id);
  session.completed("c", "Here.");
  session.completed("b", "  ");
  session.failed("a", "audio_unintelligible");
  await expect.poll(turns).toEqual(["Here."]);
  expect(logged).toContain("reported an error");
});

test("words that never come are not waited for; those known by then are told", async () => {
  provider = providerWith({ wordsWithinMs: 30 });
  const [, session] = await open();
  session.spoke("a");
  session.delta("a", "Half a");
  session.spoke("b");
  session.completed("b", "Whole.");
  await expect.poll(turns).toEqual(["Half a", "Whole."]);
  session.completed("a", "Half a sentence.");
  session.spoke("c");
  session.completed("c", "Next.");
  await expect.poll(turns).toEqual(["Half a", "Whole.", "Next."]);
});

test("dropped speech makes no turn, and the service forgets its audio", async () => {
  const [recognition, session] = await open();
  session.started("a");
  await expect.poll(kinds).toEqual(["speech_started"]);
  recognition.drop();
  await expect.poll(() => session.clears).toBe(1);
  session.spoke("a");
  session.completed("a", "Forget me.");
  session.spoke("b");
  session.completed("b", "Keep me.");
  await expect.poll(turns).toEqual(["Keep me."]);
});

test("speech from before a drop that the service tells of after it neither counts nor holds the next turn up", async () => {
  const [recognition, session] = await open();
  recognition.push(new Int16Array(16_000).fill(1_000));
  recognition.drop();
  await expect.poll(() => session.clears).toBe(1);
  // Its audio is forgotten by now: it never ends.
  session.started("a", 700);
  session.spoke("b", 990, 800);
  session.completed("b", "Forget me.");
  recognition.push(new Int16Array(16_000).fill(1_000));
  // The service counts 300 ms before the speech in.
  await session.until(60_000);
  session.spoke("c", 2_000, 1_000 + 500 - 300);
  session.completed("c", "Keep me.");
  await expect.poll(turns).toEqual(["Keep me."]);
  expect(kinds()).toEqual(["speech_started", "turn"]);
});

test("another language is told to the same session", async () => {
  const [recognition, session] = await open("en");
  recognition.setLanguage("en");
  recognition.setLanguage("ja");
  await expect.poll(() => session.updates).toHaveLength(2);
  expect(session.updates[1]).toEqual({
    type: "transcription",
    audio: { input: { transcription: { model: "gpt-4o-transcribe", language: "ja" } } },
  });
  session.socket.terminate();
  const next = await fake.session(1);
  await expect.poll(() => next.updates[0]?.audio.input.transcription.language).toBe("ja");
});

test("a session that dies is opened once more, and hears again what had no words yet", async () => {
  const [recognition, first] = await open();
  recognition.push(new Int16Array(16_000).fill(1_000));
  await first.until(24_000);
  first.spoke("a", 500);
  first.completed("a", "One.");
  await expect.poll(turns).toEqual(["One."]);
  first.spoke("b", 1_000);
  await expect.poll(() => kinds().filter((kind) => kind === "speech_started")).toHaveLength(2);
  first.error("invalid_request_error", "session_expired");
  first.socket.close(1001, "secret");
  const second = await fake.session(1);
  // Half a second at 24 kHz: what came after the first turn.
  await second.until(12_000);
  expect(second.samples).toHaveLength(12_000);
  second.spoke("c", 500);
  second.completed("c", "Two.");
  await expect.poll(turns).toEqual(["One.", "Two."]);
  // That somebody speaks had been told already.
  expect(kinds().filter((kind) => kind === "speech_started")).toHaveLength(2);
});

test("with nobody speaking little is kept for a new session", async () => {
  const [recognition, first] = await open();
  for (let second = 0; second < 10; second++) recognition.push(new Int16Array(16_000));
  await first.until(240_000);
  first.socket.terminate();
  const next = await fake.session(1);
  await next.until(48_000);
  expect(next.samples).toHaveLength(48_000);
});

test("after a loss with no way back it fails, once", async () => {
  const [recognition, session] = await open();
  fake.refuse = 500;
  session.socket.terminate();
  await expect.poll(() => events).toEqual([{ case: "failed", message: expect.any(String) }]);
  await expect(recognition.settle()).rejects.toBeInstanceOf(RecognitionError);
  recognition.push(new Int16Array(10));
  await recognition.close();
  expect(events).toHaveLength(1);
});

test.each([
  ["insufficient_quota", 1],
  ["invalid_api_key", 1],
])("an error of %s ends it without another try", async (code, count) => {
  const [, session] = await open();
  session.error("invalid_request_error", code);
  await expect.poll(() => events).toEqual([{ case: "failed", message: expect.any(String) }]);
  expect(fake.sessions).toHaveLength(count);
});

test("passing errors leave the session; a service that fails every turn is given up", async () => {
  const [, session] = await open();
  session.error("server_error", null);
  session.error("invalid_request_error", "input_audio_buffer_commit_empty");
  for (const id of ["a", "b", "c", "d"]) {
    session.spoke(id);
    session.failed(id, "server_error");
  }
  session.spoke("e");
  session.completed("e", "Still here.");
  await expect.poll(turns).toEqual(["Still here."]);
  for (const id of ["f", "g", "h", "i", "j"]) {
    session.spoke(id);
    session.failed(id, "server_error");
  }
  await expect.poll(() => kinds().at(-1)).toBe("failed");
});

test("a model whose turns are not found by meaning has them found by silence", async () => {
  fake.onUpdate = (session) => {
    if (session.updates.length === 1) session.error("invalid_request_error", "invalid_value");
    else session.send({ type: "session.updated" });
  };
  const [, session] = await open();
  expect(session.updates.map(({ audio }) => audio.input.turn_detection?.type)).toEqual([
    "semantic_vad",
    "server_vad",
  ]);
});

test.each<[what: string, answer: (session: RealtimeSession) => void, sentence: string]>([
  [
    "refuses the session",
    (session) => session.error("invalid_request_error", "invalid_value"),
    "refused this",
  ],
  ["refuses the key late", (session) => session.error("invalid_request_error", "invalid_api_key"), "key"],
  ["has too much to do", (session) => session.error("rate_limit_error", "rate_limit_exceeded"), "busy"],
  ["ends at once", (session) => session.socket.close(3000, "secret"), "not available"],
  ["says nothing", () => undefined, "in time"],
])("a service that %s would not start", async (_, answer, sentence) => {
  fake.onUpdate = answer;
  provider = providerWith({ openWithinMs: sentence === "in time" ? 50 : 20_000 });
  await expect(open()).rejects.toThrow(sentence);
  await fake.sessions[0]?.closed;
});

test.each([401, 403, 429, 404, 503])(
  "an upgrade answered with %i is refused in our own words",
  async (status) => {
    fake.refuse = status;
    const refusal = await open().catch((error: unknown) => error);
    expect(refusal).toBeInstanceOf(RecognitionError);
    expect(String(refusal)).not.toContain("secret");
    expect(provider.state().state).toBe(status === 401 || status === 403 ? "unavailable" : "ready");
  },
);

test("closing while the session is being set up gives up at once", async () => {
  fake.onUpdate = () => undefined;
  const opening = open();
  const refused = expect(opening).rejects.toBeInstanceOf(RecognitionError);
  await fake.session();
  await provider.close();
  await refused;
  await fake.sessions[0]?.closed;
});

test("garbled and unknown messages change nothing", async () => {
  const [, session] = await open();
  for (const message of ["{", "null", "[1]", { type: "rate_limits.updated" }, { type: "error" }, { type: 7 }])
    session.send(message);
  session.send({ type: "conversation.item.input_audio_transcription.completed", item_id: 1, transcript: 2 });
  session.socket.send(Buffer.from([0, 1]));
  for (let index = 0; index < 500; index++) session.started(`endless ${index}`);
  session.spoke("a");
  session.completed("a", "Here.");
  await expect.poll(() => kinds().filter((kind) => kind === "speech_started")).toHaveLength(501);
  expect(kinds()).not.toContain("failed");
});

test("closing ends the session and tells nothing more", async () => {
  const [recognition, session] = await open();
  session.started("a");
  await expect.poll(kinds).toEqual(["speech_started"]);
  await Promise.all([recognition.close(), recognition.close()]);
  await session.closed;
  recognition.push(new Int16Array(10));
  recognition.setLanguage("ja");
  expect(kinds()).toEqual(["speech_started"]);
  expect(fake.sessions).toHaveLength(1);
});
