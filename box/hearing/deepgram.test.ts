import { afterEach, beforeEach, expect, test } from "vitest";
import { createLog } from "../ops/log.ts";
import { FakeDeepgram, type DeepgramLine } from "../testing/fake-deepgram.ts";
import { Deepgram, type DeepgramOptions } from "./deepgram.ts";
import { RecognitionError, type Recognition, type RecognitionEvent } from "./recogniser.ts";

const apiKey = "dg-secret-key";
let fake: FakeDeepgram;
let provider: Deepgram;
let logged: string;
let events: RecognitionEvent[];
const log = createLog("debug", { write: (line: string) => void (logged += line) });

beforeEach(async () => {
  logged = "";
  events = [];
  fake = await FakeDeepgram.start();
  provider = providerWith();
});
afterEach(async () => {
  await provider.close();
  await fake.close();
  expect(logged).not.toContain("secret");
  expect(JSON.stringify(events)).not.toContain("secret");
});

const providerWith = (options: Partial<DeepgramOptions> = {}) =>
  new Deepgram({ apiKey, url: fake.url, model: "nova-3", log, settleWithinMs: 20_000, ...options });

async function open(language: "en" | "es" | "ja" = "en"): Promise<[Recognition, DeepgramLine]> {
  const recognition = await provider.open({ language, onEvent: (event) => events.push(event) });
  return [recognition, await fake.line()];
}

const samples = (length: number, from = 0) =>
  Int16Array.from({ length }, (_, index) => (from + index) % 30_000);
const partials = () => events.flatMap((event) => (event.case === "partial" ? [event.text] : []));

/** Answers every Finalize with these words, as far as was sent. */
function answerFinalize(words: (line: DeepgramLine) => string): void {
  fake.onControl = (line, type) => {
    if (type === "Finalize")
      line.result({ text: words(line), duration: line.seconds, final: true, fromFinalize: true });
  };
}

test("the address says everything but the key, which is in a header", async () => {
  const [, line] = await open("es");
  expect(Object.fromEntries(line.query)).toEqual({
    model: "nova-3",
    language: "es",
    encoding: "linear16",
    sample_rate: "16000",
    channels: "1",
    interim_results: "true",
    punctuate: "true",
    smart_format: "true",
    no_delay: "true",
    endpointing: "300",
  });
  expect(line.headers.authorization).toBe(`Token ${apiKey}`);
  expect(provider.state()).toEqual({ state: "ready", detail: "" });
});

test("every sample arrives in order, also when the caller's buffer is used again", async () => {
  const [recognition, line] = await open();
  const buffer = samples(320);
  for (let piece = 0; piece < 5; piece++) {
    recognition.push(buffer);
    buffer.forEach((value, index) => (buffer[index] = value + 320));
  }
  await line.until(1_600);
  expect(line.samples).toEqual([...samples(1_600)]);
});

test("the words of a turn are its finals and what is heard since; settling waits for the end", async () => {
  const [recognition, line] = await open();
  recognition.push(samples(32_000));
  await line.until(32_000);
  line.result({ text: "hello", duration: 0.5 });
  line.result({ text: "Hello there.", duration: 1, final: true });
  line.result({ text: "", start: 1, duration: 0.2 });
  line.result({ text: "how", start: 1, duration: 0.5 });
  await expect.poll(partials).toEqual(["hello", "Hello there.", "Hello there. how"]);
  answerFinalize(() => "How are you?");
  const settled = recognition.settle();
  await line.until("Finalize");
  expect(await settled).toBe("Hello there. How are you?");
  // The next turn begins with nothing.
  recognition.push(samples(16_000));
  await line.until(48_000);
  line.result({ text: "Fine", start: 2, duration: 0.5 });
  await expect.poll(() => partials().at(-1)).toBe("Fine");
});

test("what is final already needs no Finalize; an empty turn is empty", async () => {
  const [recognition, line] = await open();
  expect(await recognition.settle()).toBe("");
  recognition.push(samples(16_000));
  await line.until(16_000);
  line.result({ text: "Yes.", duration: 1, final: true });
  await expect.poll(partials).toEqual(["Yes."]);
  expect(await recognition.settle()).toBe("Yes.");
  expect(line.controls).not.toContain("Finalize");
});

test("a Finalize that is not answered ends with the first result behind it, whose words are the next turn's", async () => {
  const [recognition, line] = await open();
  recognition.push(samples(16_000));
  await line.until(16_000);
  line.result({ text: "one", duration: 0.9 });
  await expect.poll(partials).toEqual(["one"]);
  const settled = recognition.settle();
  await line.until("Finalize");
  recognition.push(samples(16_000));
  line.result({ text: "two", start: 1, duration: 0.5 });
  expect(await settled).toBe("one");
  await expect.poll(partials).toEqual(["one", "two"]);
});

test("once the service has found the speech over, it is not waited for long", async () => {
  provider = providerWith({ settleWithinMs: 600_000, restWithinMs: 10 });
  const [recognition, line] = await open();
  recognition.push(samples(16_000));
  await line.until(16_000);
  line.result({ text: "All of it.", duration: 0.7, final: true });
  line.result({ text: "", start: 0.7, duration: 0.1 });
  await expect.poll(partials).toEqual(["All of it."]);
  expect(await recognition.settle()).toBe("All of it.");
  expect(line.controls).toContain("Finalize");
});

test("a service that never answers Finalize leaves what is known, and its late words are not the next turn's", async () => {
  provider = providerWith({ settleWithinMs: 10 });
  const [recognition, line] = await open();
  recognition.push(samples(16_000));
  await line.until(16_000);
  line.result({ text: "so far", duration: 0.9 });
  await expect.poll(partials).toEqual(["so far"]);
  expect(await recognition.settle()).toBe("so far");
  line.result({ text: "so far, too late", duration: 1, final: true });
  recognition.push(samples(16_000));
  const words = [
    { word: "late", punctuated_word: "late.", start: 0.8, end: 0.95 },
    { word: "new", punctuated_word: "New", start: 1.1, end: 1.3 },
    { word: "words", start: 1.4, end: 1.6 },
  ];
  line.result({ text: "late. New words", start: 0.8, duration: 1, words });
  await expect.poll(() => partials().at(-1)).toBe("New words");
});

test("dropped words are in no turn", async () => {
  const [recognition, line] = await open();
  recognition.push(samples(16_000));
  await line.until(16_000);
  line.result({ text: "forget", duration: 0.5 });
  await expect.poll(partials).toEqual(["forget"]);
  recognition.drop();
  await line.until("Finalize");
  line.result({ text: "forget me", duration: 1, final: true, fromFinalize: true });
  recognition.push(samples(16_000));
  answerFinalize(() => "");
  await line.until(32_000);
  line.result({ text: "Keep", start: 1, duration: 0.9, final: true });
  expect(await recognition.settle()).toBe("Keep");
});

test("another language is another line; the words so far are kept and no audio is lost", async () => {
  const [recognition, first] = await open("en");
  answerFinalize((line) => (line === first ? "Let us speak Japanese." : "はい。"));
  recognition.push(samples(16_000));
  recognition.setLanguage("en");
  recognition.setLanguage("ja");
  await first.until("Finalize");
  recognition.push(samples(8_000, 16_000));
  const second = await fake.line(1);
  expect(second.query.get("language")).toBe("ja");
  await first.closed;
  recognition.push(samples(8_000, 24_000));
  await second.until(16_000);
  expect(first.samples).toHaveLength(16_000);
  expect(second.samples).toEqual([...samples(16_000, 16_000)]);
  expect(await recognition.settle()).toBe("Let us speak Japanese.はい。");
  expect(fake.lines).toHaveLength(2);
});

test("a language the service refuses leaves the one before", async () => {
  const [recognition] = await open("en");
  fake.refuse = ({ url }) => (url?.includes("language=ja") ? { status: 400 } : null);
  recognition.setLanguage("ja");
  const second = await fake.line(1);
  expect(second.query.get("language")).toBe("en");
  recognition.push(samples(100));
  await second.until(100);
  expect(events).toEqual([]);
});

test("a line that dies is opened once more, and hears again what was not final", async () => {
  const [recognition, first] = await open();
  recognition.push(samples(16_000));
  await first.until(16_000);
  first.result({ text: "One.", duration: 0.5, final: true });
  first.result({ text: "tw", start: 0.5, duration: 0.4 });
  await expect.poll(() => partials().at(-1)).toBe("One. tw");
  first.socket.terminate();
  const second = await fake.line(1);
  await second.until(8_000);
  expect(second.samples).toEqual([...samples(8_000, 8_000)]);
  recognition.push(samples(1_600, 16_000));
  await second.until(9_600);
  answerFinalize(() => "Two.");
  expect(await recognition.settle()).toBe("One. Two.");
  // It has proved itself, so it may be lost as well.
  second.socket.close(1011, "NET-0001 secret");
  await fake.line(2);
  expect(events.filter(({ case: kind }) => kind === "failed")).toEqual([]);
});

test("settling while a line is being opened again waits for it", async () => {
  const [recognition, first] = await open();
  recognition.push(samples(16_000));
  await first.until(16_000);
  first.result({ text: "x", duration: 0.1 });
  await expect.poll(partials).toEqual(["x"]);
  answerFinalize(() => "Heard again.");
  first.socket.terminate();
  expect(await recognition.settle()).toBe("Heard again.");
});

test.each<[what: string, break_: (line: DeepgramLine) => void]>([
  [
    "an Error message",
    (line) => line.send({ type: "Error", description: "secret", message: "", variant: "" }),
  ],
  ["a message over the limit", (line) => line.send("x".repeat(2 * 1024 * 1024))],
  ["a close frame", (line) => line.socket.close(1008, "DATA-0000 secret")],
])("after %s and with no way back it fails, once", async (_, breakIt) => {
  const [recognition, line] = await open();
  recognition.push(samples(1_000));
  await line.until(1_000);
  fake.refuse = () => ({ status: 503, body: "secret" });
  breakIt(line);
  await expect.poll(() => events).toEqual([{ case: "failed", message: expect.any(String) }]);
  recognition.push(samples(1_000));
  await expect(recognition.settle()).rejects.toBeInstanceOf(RecognitionError);
  await recognition.close();
  expect(events).toHaveLength(1);
});

test("a service that ends every line at once is given up", async () => {
  const [recognition] = await open();
  fake.onLine = (line) => line.socket.terminate();
  fake.lines[0]?.socket.terminate();
  await expect.poll(() => events).toEqual([{ case: "failed", message: expect.any(String) }]);
  expect(fake.lines).toHaveLength(2);
  await recognition.close();
});

test.each([
  [401, "unavailable"],
  [402, "unavailable"],
  [403, "unavailable"],
  [429, "ready"],
  [400, "ready"],
  [500, "ready"],
  [302, "ready"],
])("a service that answers %i refuses in one sentence of our own", async (status, state) => {
  fake.refuse = () => ({ status, body: `{"err_msg":"secret ${apiKey}"}` });
  const refusal = await open().catch((error: unknown) => error);
  expect(refusal).toBeInstanceOf(RecognitionError);
  expect(String(refusal)).not.toContain("secret");
  expect(provider.state().state).toBe(state);
  expect(fake.upgrades).toBe(1);
  fake.refuse = null;
  await open();
  expect(provider.state().state).toBe("ready");
});

test("a service that hangs is given up; closing does not wait for it", async () => {
  fake.hang = true;
  await expect(
    providerWith({ openWithinMs: 20 }).open({ language: "en", onEvent: () => undefined }),
  ).rejects.toThrow("did not answer in time");
  const hanging = open();
  await expect.poll(() => fake.upgrades).toBe(2);
  await provider.close();
  await expect(hanging).rejects.toBeInstanceOf(RecognitionError);
});

test("nobody there, and an address that is none", async () => {
  provider = providerWith({ url: `${fake.url}#fragment` });
  await expect(open()).rejects.toThrow("could not be reached");
  provider = providerWith();
  await fake.close();
  await expect(open()).rejects.toThrow("could not be reached");
  fake = await FakeDeepgram.start();
});

test("garbled and unknown messages change nothing", async () => {
  const [, line] = await open();
  for (const message of [
    "{",
    "null",
    "[]",
    '"Results"',
    { type: "Results" },
    { type: "Results", start: "0", duration: 1, channel: { alternatives: [] } },
    { type: "SpeechStarted", timestamp: 1 },
    { type: "UtteranceEnd", last_word_end: 1 },
    { type: "Metadata" },
    { type: "SomethingNew" },
  ])
    line.send(message);
  line.socket.send(Buffer.from([1, 2, 3]));
  line.send({ type: "Results", start: 0, duration: 1, is_final: true, channel: { alternatives: [] } });
  line.result({ text: "Still here.", duration: 1 });
  await expect.poll(partials).toEqual(["Still here."]);
});

test("silence is bridged with KeepAlive, as text", async () => {
  provider = providerWith({ keepAliveEveryMs: 5 });
  const [, line] = await open();
  await line.until("KeepAlive");
});

test("closing says so and leaves nothing behind", async () => {
  const [recognition, line] = await open();
  recognition.push(samples(100));
  await Promise.all([recognition.close(), recognition.close()]);
  expect(line.controls).toContain("CloseStream");
  expect(await line.closed).toBe(1000);
  recognition.push(samples(100));
  recognition.setLanguage("ja");
  recognition.drop();
  expect(await recognition.settle()).toBe("");
  expect(events).toEqual([]);
  expect(fake.lines).toHaveLength(1);
});
