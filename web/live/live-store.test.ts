import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createClient, VisavisError } from "../sdk/index.ts";
import { answerFor, FakeService } from "../sdk/testing/fake-service.ts";
import { FakeSocket } from "../sdk/testing/fake-socket.ts";
import { LiveStore } from "./live-store.ts";
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

beforeEach(() => {
  installLive();
});
afterEach(removeLive);

async function live() {
  const client = makeClient();
  const store = new LiveStore(client);
  const connected = store.goLive("maya");
  await answerLive();
  await connected;
  return Object.assign(store, { client });
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
  it("takes an empty clause for the end of speech that it is, and shows nothing of it", async () => {
    const store = await live();
    store.say("Hello", "message");
    const correlationId = sentId();
    FakeSocket.last.receive(clause("Hello there.", 0, correlationId));
    FakeSocket.last.receive({ ...clause("", 1, correlationId), endOfSpeech: true });
    expect(store.get().turns.at(-1)?.text).toBe("Hello there.");
  });

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

  it("has the figures of the last turn, the spoken one only while it was spoken", async () => {
    const store = await live();
    void store.client.microphone.start();
    await listen();
    const figures = { llm_ms: 210, tts_ms: 40, first_audio_ms: 250, first_frame_ms: 270 };
    voice().receive({ type: "metric", first_audio_ms: 690, spec: true });
    control().receive({ type: "metric", correlationId: null, ...figures });
    expect(store.get()).toMatchObject({ turn: figures, spokenMs: 690 });
    store.say("Hello", "message");
    expect(store.get().spokenMs).toBeNull();
  });
});

describe("LiveStore with a microphone", () => {
  async function speaking() {
    const store = await live();
    void store.client.microphone.start();
    await listen();
    return store;
  }

  it("writes each spoken turn once, though both sockets tell of it", async () => {
    const store = await speaking();
    voice().receive({ type: "final", text: "where is it", continues: false });
    voice().receive({ type: "state", thinking: true });
    control().receive(userMessage("where is it"));
    expect(store.get().thinking).toBe(true);
    voice().receive({ type: "reply_chunk", text: "On its way.", tone: "warm" });
    control().receive({ ...clause("On its way.", 0, null), id: "r" });
    control().receive({ type: "avatar_speech_started", correlationId: null });
    expect(store.get()).toMatchObject({ speaking: true, caption: "On its way." });
    voice().receive({ type: "reply", reply: "On its way.", tone: "warm", avatar: "maya" });
    voice().receive({ type: "state", thinking: false });
    expect(store.get().turns.map(({ who, text }) => [who, text])).toEqual([
      ["you", "where is it"],
      ["face", "On its way."],
    ]);
  });

  it("falls silent at once when the person takes the floor back", async () => {
    const store = await speaking();
    control().receive({ ...clause("A long story.", 0, null), id: "r" });
    control().receive({ type: "avatar_speech_started", correlationId: null });
    voice().receive({ type: "state", speaking: false, bargein: true });
    expect(store.get()).toMatchObject({ speaking: false, caption: null });
    expect(store.get().turns.at(-1)?.state).toBe("interrupted");
  });

  it("notes what the persona did without words, and waits for none", async () => {
    const store = await speaking();
    control().receive(userMessage("Hm."));
    voice().receive({ type: "action", name: "skip_turn", label: "Listening" });
    voice().receive({ type: "action", name: "set_language", label: "Spanish", language: "es" });
    expect(store.get().thinking).toBe(false);
    expect(
      store
        .get()
        .turns.map(({ who, text }) => [who, text])
        .slice(1),
    ).toEqual([
      ["note", "No answer: the persona chose to listen."],
      ["note", "The call goes on in Spanish."],
    ]);
    control().receive(userMessage("And now?", "u2"));
    voice().receive({ type: "state", thinking: false });
    expect(store.get().thinking).toBe(false);
  });

  it("shows the notice about the voice until it is taken back", async () => {
    const store = await speaking();
    voice().receive({ type: "voice_notice", notice: "Your voice account does not answer." });
    expect(store.get().voiceNotice).toBe("Your voice account does not answer.");
    voice().receive({ type: "voice_notice", notice: "" });
    expect(store.get().voiceNotice).toBe("");
  });

  it("ends kindly when the persona ends the call", async () => {
    const store = await speaking();
    voice().receive({ type: "session_end", reason: "ended_by_persona_request" });
    expect(store.get()).toMatchObject({ connection: "closed", closed: { reason: "persona" } });
  });
});

describe("the tone on the screen", () => {
  it("is that of the clause that is being heard, and gone with the voice", async () => {
    const store = await live();
    store.say("Hello", "message");
    const correlationId = sentId();
    FakeSocket.last.receive({ ...clause("Hello there, my good friend.", 0, correlationId), tone: "warm" });
    FakeSocket.last.receive({ ...clause("What is that?", 1, correlationId), tone: "surprised" });
    expect(store.get().tone).toBeNull();
    FakeSocket.last.receive({ type: "avatar_speech_started", correlationId });
    expect(store.get()).toMatchObject({ caption: "Hello there, my good friend.", tone: "warm" });
    await vi.advanceTimersByTimeAsync(2500);
    expect(store.get()).toMatchObject({ caption: "What is that?", tone: "surprised" });
    FakeSocket.last.receive({ type: "avatar_speech_ended", correlationId });
    await vi.advanceTimersByTimeAsync(2000);
    expect(store.get()).toMatchObject({ caption: null, tone: null });
  });
});

describe("a session with wishes", () => {
  const agreed = { terms_version: "1", terms_digest: "a".repeat(64) };

  it("is begun with the voice and the agreement, and shows that it is recorded until it ends", async () => {
    const client = makeClient();
    const store = new LiveStore(client);
    const connect = vi.spyOn(client, "connect");
    const wish = { voice: "nora", voice_provider: "local", recording: agreed };
    const connected = store.goLive("maya", wish);
    await answerLive();
    await connected;
    expect(connect).toHaveBeenCalledExactlyOnceWith({ avatar: "maya", kind: "studio", ...wish });
    expect(store.get().recording).toBe(true);
    store.end();
    expect(store.get().recording).toBe(false);
  });

  it("speaks each turn with the voice that was picked meanwhile", async () => {
    const client = makeClient();
    let liveVoice: string | null = null;
    const store = new LiveStore(client, { liveVoice: () => liveVoice });
    const connected = store.goLive("maya");
    await answerLive();
    await connected;
    store.say("One", "message");
    expect(control().sent.at(-1)).not.toHaveProperty("voice");
    liveVoice = "iris";
    store.say("Two", "message");
    expect(control().sent.at(-1)).toMatchObject({ type: "message", voice: "iris" });
    store.say("Three", "talk", "warm");
    expect(control().sent.at(-1)).toMatchObject({ type: "talk", voice: "iris", tone: "warm" });
  });

  it("leaves a refusal to whoever can tell why", async () => {
    const client = makeClient();
    const error = new VisavisError({ code: "http_409", message: "Old terms.", status: 409 });
    vi.spyOn(client, "connect").mockRejectedValue(error);
    const onRefused = vi.fn().mockResolvedValueOnce(true).mockResolvedValueOnce(false);
    const store = new LiveStore(client, { onRefused });
    await store.goLive("maya", { recording: agreed });
    expect(store.get().closed).toBeNull();
    await store.goLive("maya", { recording: agreed });
    expect(store.get().closed).toEqual({ reason: "refused", message: "Old terms." });
    expect(onRefused).toHaveBeenCalledTimes(2);
  });
});

describe("a picked voice that is gone", () => {
  const wish = { voice: "nora", voice_provider: "local" };

  function refuseVoice(refuse: (body: unknown) => boolean) {
    const service = new FakeService()
      .on("POST /connect", ({ body }) =>
        refuse(body) ? { status: 400, body: { error: "No." } } : { body: answerFor("s") },
      )
      .on("GET /api/chat/status", () => ({ status: 503, body: {} }));
    service.install();
    const onVoiceRefused = vi.fn(() => "Nora is gone.");
    return { service, onVoiceRefused, store: new LiveStore(makeClient(), { onVoiceRefused }) };
  }

  it("does not keep the session from beginning", async () => {
    const { service, onVoiceRefused, store } = refuseVoice((body) => "voice" in Object(body));
    const connected = store.goLive("maya", wish);
    await answerLive();
    await connected;
    expect(store.get()).toMatchObject({ connection: "connected", closed: null, warning: "Nora is gone." });
    expect(onVoiceRefused).toHaveBeenCalledOnce();
    expect(service.asking("/connect").at(-1)?.body).not.toHaveProperty("voice_provider");
  });

  it("is not blamed for what is refused without it too", async () => {
    const { onVoiceRefused, store } = refuseVoice(() => true);
    await store.goLive("maya", wish);
    expect(onVoiceRefused).not.toHaveBeenCalled();
    expect(store.get()).toMatchObject({ closed: { reason: "refused", message: "No." }, warning: null });
  });
});
