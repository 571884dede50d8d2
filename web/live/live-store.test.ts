import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createClient } from "../sdk/index.ts";
import { FakePeer, installFakePeer } from "../sdk/testing/fake-peer.ts";
import { answerFor, FakeService } from "../sdk/testing/fake-service.ts";
import { FakeSocket, installFakeSocket } from "../sdk/testing/fake-socket.ts";
import { LiveStore } from "./live-store.ts";

beforeEach(() => {
  vi.useFakeTimers();
  installFakeSocket();
  installFakePeer();
  new FakeService()
    .on("POST /connect", () => ({ body: answerFor("s") }))
    .on("POST /disconnect", () => ({ body: { ok: true } }))
    .install();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

async function live() {
  const store = new LiveStore(createClient({ baseUrl: "https://face.test", credential: "k" }));
  await store.goLive("maya");
  await vi.advanceTimersByTimeAsync(0);
  FakeSocket.last.accept();
  FakeSocket.last.receive({
    type: "session_ready",
    sessionId: "s",
    avatar: "maya",
    tones: ["neutral", "warm"],
  });
  FakePeer.last.become("connected");
  return store;
}

const sentId = () => FakeSocket.last.sent.at(-1)?.["correlationId"];
const clause = (content: string, contentIndex: number, correlationId: unknown) => ({
  type: "message_stream",
  id: "m",
  role: "persona",
  content,
  contentIndex,
  endOfSpeech: false,
  tone: "neutral",
  correlationId,
});

describe("LiveStore", () => {
  it("shows a turn from the message to the last caption", async () => {
    const store = await live();
    expect(store.get()).toMatchObject({ connection: "connected", tones: ["neutral", "warm"] });
    expect(store.say("Hello", "message")).toBe(true);
    const correlationId = sentId();
    expect(store.get().thinking).toBe(true);
    FakeSocket.last.receive({ type: "user_message", id: "u", role: "user", content: "Hello", correlationId });
    FakeSocket.last.receive(clause("Hello there, my friend.", 0, correlationId));
    FakeSocket.last.receive(clause("How are you?", 1, correlationId));
    expect(store.get()).toMatchObject({ thinking: false, speaking: false, caption: null });
    FakeSocket.last.receive({ type: "avatar_speech_started", correlationId });
    expect(store.get()).toMatchObject({ speaking: true, caption: "Hello there, my friend." });
    await vi.advanceTimersByTimeAsync(2000);
    expect(store.get().caption).toBe("How are you?");
    FakeSocket.last.receive({ type: "avatar_speech_ended", correlationId });
    await vi.advanceTimersByTimeAsync(2000);
    expect(store.get()).toMatchObject({ speaking: false, caption: null });
    expect(store.get().turns.map(({ who, state }) => [who, state])).toEqual([
      ["you", "done"],
      ["face", "done"],
    ]);
  });

  it("silences captions at once on an interrupt", async () => {
    const store = await live();
    store.say("Say this slowly.", "talk", "warm");
    const correlationId = sentId();
    FakeSocket.last.receive(clause("Say this slowly.", 0, correlationId));
    FakeSocket.last.receive({ type: "avatar_speech_started", correlationId });
    store.interrupt();
    expect(FakeSocket.last.sentTypes().at(-1)).toBe("interrupt");
    expect(store.get().caption).toBeNull();
    FakeSocket.last.receive({ type: "avatar_speech_ended", correlationId });
    FakeSocket.last.receive({ type: "interrupted" });
    expect(store.get()).toMatchObject({ speaking: false });
    expect(store.get().turns[0]?.state).toBe("interrupted");
  });

  it("tells why the session is over, but not when the person ended it", async () => {
    const store = await live();
    FakeSocket.last.receive({
      type: "session_expired",
      reason: "idle",
      message: "Quiet.",
      seconds: 300,
      code: 4007,
    });
    expect(store.get()).toMatchObject({
      connection: "closed",
      closed: { reason: "idle", message: "Quiet." },
    });
    await store.goLive("maya");
    expect(store.get()).toMatchObject({ closed: null, turns: [] });
    store.end();
    expect(store.get()).toMatchObject({ connection: "closed", closed: null });
  });

  it("puts a refused turn under the words it refused", async () => {
    const store = await live();
    store.say("Hello", "message");
    FakeSocket.last.receive({ type: "error", error: "The model failed.", fatal: false });
    expect(store.get().turns.map(({ who, text, state }) => [who, text, state])).toEqual([
      ["you", "Hello", "failed"],
      ["notice", "The model failed.", "done"],
    ]);
    expect(store.get()).toMatchObject({ connection: "connected", thinking: false });
  });

  it("says so instead of throwing when there is nobody to talk to", () => {
    const store = new LiveStore(createClient({ baseUrl: "https://face.test" }));
    expect(store.say("Hello", "message")).toBe(false);
    expect(store.get().warning).toMatch(/connect first/);
  });
});
