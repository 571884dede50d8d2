import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { FakeAudio } from "../sdk/testing/fake-audio.ts";
import { MicrophoneStore } from "./microphone-store.ts";
import {
  answerLive,
  control,
  installLive,
  listen,
  makeClient,
  removeLive,
  userMessage,
  voice,
} from "./testing/live-client.ts";

let audio: FakeAudio;

beforeEach(() => {
  audio = installLive();
});
afterEach(removeLive);

async function live() {
  const client = makeClient();
  const store = new MicrophoneStore(client);
  const connected = client.connect();
  await answerLive();
  await connected;
  return { client, store };
}

async function listening() {
  const parts = await live();
  parts.store.press();
  await listen();
  return parts;
}

describe("the switch", () => {
  it("asks, connects, listens, mutes, listens again and switches off", async () => {
    const { store } = await live();
    const phases: string[] = [];
    store.subscribe(() => phases.push(store.get().phase));
    store.press();
    await listen();
    store.press();
    expect(voice().sent.at(-1)).toEqual({ type: "mute", muted: true });
    store.press();
    store.stop();
    expect(phases.filter((phase, i) => phase !== phases[i - 1])).toEqual([
      "asking",
      "connecting",
      "listening",
      "muted",
      "listening",
      "off",
    ]);
    expect(audio.free).toBe(true);
  });

  it("cancels while the browser asks", async () => {
    const { store } = await live();
    store.press();
    expect(store.get().phase).toBe("asking");
    store.press();
    expect(store.get()).toMatchObject({ phase: "off", problem: null });
  });

  it("says why it is refused until it is dismissed or tried again", async () => {
    const { store } = await live();
    audio.refuse("NotAllowedError");
    store.press();
    await vi.advanceTimersByTimeAsync(0);
    expect(store.get()).toMatchObject({ phase: "refused", problem: { code: "microphone_denied" } });
    store.dismissProblem();
    expect(store.get()).toMatchObject({ phase: "off", problem: null });
  });

  it("does not exist without a session", async () => {
    const store = new MicrophoneStore(makeClient());
    store.press();
    await vi.advanceTimersByTimeAsync(0);
    expect(store.get()).toMatchObject({ phase: "refused", problem: { code: "not_connected" } });
  });

  it("says what it waits for while it is reconnecting, and forgets it once it listens", async () => {
    const { store } = await listening();
    voice().receive({ type: "partial", text: "half a" });
    voice().drop(4003, "Another microphone has the floor.");
    expect(store.get()).toMatchObject({
      phase: "reconnecting",
      heard: null,
      problem: { message: "Another microphone has the floor." },
    });
    await vi.advanceTimersByTimeAsync(3100);
    await listen();
    expect(store.get()).toMatchObject({ phase: "listening", problem: null });
  });

  it("is off without a complaint when the session is over", async () => {
    const { client, store } = await listening();
    voice().receive({ type: "action", name: "pause_conversation", label: "Paused", paused: true });
    await client.disconnect();
    expect(store.get()).toMatchObject({ phase: "off", problem: null, paused: false, heard: null });
  });
});

describe("what is heard", () => {
  it("shows until the transcript has it, whichever of the two sockets is faster", async () => {
    const { store } = await listening();
    voice().receive({ type: "partial", text: "where is my" });
    expect(store.get()).toMatchObject({ phase: "hearing", heard: { text: "where is my", settled: false } });
    voice().receive({ type: "final", text: "where is my order", continues: false });
    expect(store.get()).toMatchObject({ phase: "listening", heard: { settled: true } });
    control().receive(userMessage("where is my order"));
    expect(store.get().heard).toBeNull();

    voice().receive({ type: "partial", text: "and when" });
    control().receive(userMessage("and when"));
    expect(store.get().heard).toBeNull();
    voice().receive({ type: "final", text: "and when", continues: false });
    expect(store.get().heard).toBeNull();
    // The same words said again are a turn of their own.
    voice().receive({ type: "partial", text: "and" });
    voice().receive({ type: "final", text: "and when", continues: false });
    expect(store.get().heard).toMatchObject({ text: "and when" });
  });

  it("stays while something else is typed, and goes when it came to nothing or was muted", async () => {
    const { store } = await listening();
    voice().receive({ type: "partial", text: "hm" });
    control().receive(userMessage("typed meanwhile"));
    expect(store.get().heard).toMatchObject({ text: "hm" });
    voice().receive({ type: "caption_clear" });
    expect(store.get()).toMatchObject({ phase: "listening", heard: null });
    voice().receive({ type: "partial", text: "so" });
    store.toggleMuted();
    expect(store.get()).toMatchObject({ phase: "muted", heard: null });
  });
});

describe("what the persona does", () => {
  it("shows while a tool runs, under its label where one is told", async () => {
    const { store } = await listening();
    const call = { type: "tool_call", id: "t", name: "track_order", arguments: {}, correlationId: null };
    control().receive(call);
    expect(store.get().tool).toBe("Track order");
    voice().receive({ type: "tool", name: "track_order", label: "Looking up the order" });
    control().receive(call);
    expect(store.get().tool).toBe("Looking up the order");
    voice().receive({ type: "reply_chunk", text: "It ships", tone: "neutral" });
    expect(store.get().tool).toBeNull();
  });

  it("is a pause until somebody resumes", async () => {
    const { store } = await listening();
    voice().receive({ type: "action", name: "pause_conversation", label: "Paused", paused: true });
    expect(store.get().paused).toBe(true);
    store.resume();
    expect(voice().sentTypes().at(-1)).toBe("resume");
    expect(store.get().paused).toBe(true);
    voice().receive({ type: "action", name: "pause_conversation", label: "Back", paused: false });
    expect(store.get().paused).toBe(false);
  });

  it("is what the box tells after a reconnect, and nothing that was told before", async () => {
    const { store } = await listening();
    voice().receive({ type: "action", name: "pause_conversation", label: "Paused", paused: true });
    voice().receive({ type: "action", name: "set_language", label: "Spanish", language: "es" });
    voice().drop();
    expect(store.get()).toMatchObject({ paused: true, language: null });
    await vi.advanceTimersByTimeAsync(600);
    await listen();
    expect(store.get()).toMatchObject({ paused: false, language: null });
    voice().receive({ type: "action", name: "pause_conversation", label: "Paused", paused: true });
    expect(store.get().paused).toBe(true);
  });

  it("may be another language, for this call; until it is told nobody knows which", async () => {
    const { client, store } = await listening();
    expect(store.get().language).toBeNull();
    voice().receive({ type: "action", name: "set_language", label: "Spanish", language: "es" });
    expect(store.get().language).toBe("es");
    await client.disconnect();
    expect(store.get().language).toBeNull();
  });
});

it("leaves nothing behind", async () => {
  const { store } = await listening();
  store.dispose();
  expect(audio.free).toBe(true);
  expect(voice().closedWith).toBe(1000);
});
