import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { microphoneMessageSchemas } from "../../contract/microphone-socket.ts";
import { type Client, createClient, type MicrophoneEventMap, type MicrophoneEventName } from "./index.ts";
import { FakeAudio, FakeTrack } from "./testing/fake-audio.ts";
import { FakePeer, installFakePeer } from "./testing/fake-peer.ts";
import { answerFor, FakeService } from "./testing/fake-service.ts";
import { FakeSocket, installFakeSocket } from "./testing/fake-socket.ts";

let audio: FakeAudio;

beforeEach(() => {
  vi.useFakeTimers();
  installFakeSocket();
  installFakePeer();
  audio = new FakeAudio().install();
  new FakeService()
    .on("POST /connect", () => ({ body: answerFor("s") }))
    .on("POST /disconnect", () => ({ body: { ok: true } }))
    .install();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const settle = () => vi.advanceTimersByTimeAsync(0);
const voice = () => FakeSocket.at("/api/voice/ws");
const control = () => FakeSocket.at("/api/session/ws");
const ready = { type: "ready", sample_rate: 16_000, voice_origin: "box" };

async function live() {
  const client = createClient({
    baseUrl: "https://face.test",
    credential: "k",
    microphoneWorkletUrl: "/worklet.js",
  });
  await client.connect();
  await settle();
  control().accept();
  control().receive({ type: "session_ready", sessionId: "s", avatar: "maya", tones: ["neutral"] });
  FakePeer.last.become("connected");
  return client;
}

async function listening() {
  const client = await live();
  const started = client.microphone.start({ avatar: "maya", voice: "en" });
  await settle();
  voice().accept();
  voice().receive(ready);
  await started;
  return client;
}

function record<Name extends MicrophoneEventName>(client: Client, name: Name): MicrophoneEventMap[Name][] {
  const events: MicrophoneEventMap[Name][] = [];
  client.microphone.addListener(name, (event) => events.push(event));
  return events;
}

const error = async (promise: Promise<void>): Promise<unknown> =>
  promise.then(
    () => null,
    (thrown: { code?: unknown }) => thrown.code,
  );

describe("start", () => {
  it("asks for an echo-cancelled mono microphone and resolves once the box listens", async () => {
    const client = await live();
    const states = record(client, "MICROPHONE_STATE");
    let done = false;
    const started = client.microphone.start({ avatar: "maya" }).then(() => (done = true));
    await settle();
    expect(audio.asked).toEqual([
      { audio: { channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true } },
    ]);
    expect(audio.modules).toEqual(["/worklet.js"]);
    expect(audio.contexts[0]?.state).toBe("running");
    voice().accept();
    await settle();
    expect(done).toBe(false);
    voice().receive(ready);
    await started;
    expect(states.map(({ state }) => state)).toEqual(["asking", "connecting", "listening"]);
    expect(voice().sent).toEqual([{ type: "config", avatar: "maya" }]);
  });

  it("sends every frame it hears, and meters it", async () => {
    const client = await listening();
    const levels = record(client, "LEVEL");
    const frame = audio.frame(0.3);
    expect(voice().sentSound).toEqual([frame]);
    expect(levels).toEqual([{ level: 1 }]);
  });

  it.each([
    ["NotAllowedError", "microphone_denied"],
    ["NotFoundError", "microphone_missing"],
    ["NotReadableError", "microphone_unavailable"],
  ])("rejects on %s with %s and leaves nothing open", async (name, code) => {
    const client = await live();
    const states = record(client, "MICROPHONE_STATE");
    audio.refuse(name);
    expect(await error(client.microphone.start())).toBe(code);
    expect(states.at(-1)).toMatchObject({ state: "off", error: { code } });
    expect(FakeSocket.all.some(({ url }) => url.includes("/api/voice/ws"))).toBe(false);
    audio.answer = () => Promise.resolve(new FakeTrack());
    void client.microphone.start();
    await settle();
    expect(client.microphone.state).toBe("connecting");
  });

  it("rejects without a session, in an insecure page, in an old browser, and when the worklet does not load", async () => {
    expect(await error(createClient({ baseUrl: "https://face.test" }).microphone.start())).toBe(
      "not_connected",
    );
    const client = await live();
    audio.moduleLoads = false;
    expect(await error(client.microphone.start())).toBe("microphone_unavailable");
    expect(audio.free).toBe(true);
    vi.stubGlobal("AudioWorkletNode", undefined);
    expect(await error(client.microphone.start())).toBe("unsupported_browser");
    vi.stubGlobal("isSecureContext", false);
    expect(await error(client.microphone.start())).toBe("microphone_insecure");
  });

  it("gives back what was granted after it was stopped, and asks once for two clicks", async () => {
    const client = await live();
    const { promise, resolve } = Promise.withResolvers<FakeTrack>();
    audio.answer = () => promise;
    const first = error(client.microphone.start());
    void client.microphone.start().catch(() => undefined);
    client.microphone.stop();
    expect(await first).toBe("aborted");
    resolve(new FakeTrack());
    await settle();
    expect(audio.asked).toHaveLength(1);
    expect(audio.free).toBe(true);
    expect(client.microphone.state).toBe("off");
  });
});

describe("muting", () => {
  it("is told as a fact, silences the track, and sends nothing until it ends", async () => {
    const client = await listening();
    const levels = record(client, "LEVEL");
    client.microphone.mute();
    client.microphone.mute();
    audio.frame();
    expect(audio.tracks[0]?.enabled).toBe(false);
    expect(voice().sentSound).toEqual([]);
    expect(levels).toEqual([{ level: 0 }]);
    client.microphone.unmute();
    audio.frame();
    expect(voice().sentSound).toHaveLength(1);
    expect(voice().sent.slice(1)).toEqual([
      { type: "mute", muted: true },
      { type: "mute", muted: false },
    ]);
  });

  it("is told again to the next socket, with the configuration as it is then", async () => {
    const client = await listening();
    client.microphone.mute();
    client.microphone.configure({ voice: "de" });
    voice().drop();
    await vi.advanceTimersByTimeAsync(600);
    voice().accept();
    expect(voice().sent).toEqual([
      { type: "config", avatar: "maya", voice: "de" },
      { type: "mute", muted: true },
    ]);
    for (const message of voice().sent) {
      const schema = microphoneMessageSchemas[message["type"] as keyof typeof microphoneMessageSchemas];
      expect(schema.safeParse(message).success).toBe(true);
    }
  });
});

describe("the conversation", () => {
  it("arrives as typed events", async () => {
    const client = await listening();
    const partial = record(client, "PARTIAL");
    const actions = record(client, "ACTION");
    voice().receive({ type: "partial", text: "where is" });
    voice().receive({ type: "action", name: "pause_conversation", label: "Pausing", paused: true });
    client.microphone.resume();
    expect(partial).toEqual([{ text: "where is" }]);
    expect(actions).toEqual([{ name: "pause_conversation", label: "Pausing", paused: true }]);
    expect(voice().sentTypes().at(-1)).toBe("resume");
  });

  it("is resumed by the next socket where the last one is lost, and once only", async () => {
    const client = await listening();
    const paused = { type: "action", name: "pause_conversation", label: "Paused" };
    voice().receive({ ...paused, paused: true });
    voice().drop();
    client.microphone.resume();
    await vi.advanceTimersByTimeAsync(600);
    voice().accept();
    expect(voice().sentTypes()).toEqual(["config", "resume"]);
    voice().receive(ready);
    voice().receive({ ...paused, paused: false });
    voice().drop();
    await vi.advanceTimersByTimeAsync(1200);
    voice().accept();
    expect(voice().sentTypes()).toEqual(["config"]);
  });

  it("is not resumed by a microphone that was switched off meanwhile", async () => {
    const client = await listening();
    voice().drop();
    client.microphone.resume();
    client.microphone.stop();
    client.microphone.resume();
    void client.microphone.start();
    await settle();
    voice().accept();
    expect(voice().sentTypes()).toEqual(["config"]);
  });

  it("ends with the persona's goodbye: nothing is dialled again, and everything is free", async () => {
    const client = await listening();
    const closed: unknown[] = [];
    client.addListener("CLOSED", (event) => closed.push(event));
    voice().receive({ type: "session_end", reason: "ended_by_persona_request" });
    voice().drop(1000);
    await vi.advanceTimersByTimeAsync(60_000);
    expect(closed).toMatchObject([{ reason: "persona" }]);
    expect(client.connectionState).toBe("closed");
    expect(FakeSocket.all).toHaveLength(2);
    expect(audio.free).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("ends so too when the control socket is the faster one to say it", async () => {
    const client = await listening();
    const closed: unknown[] = [];
    client.addListener("CLOSED", (event) => closed.push(event));
    voice().receive({ type: "action", name: "end_call", label: "Saying goodbye" });
    expect(client.connectionState).toBe("connected");
    control().receive({ type: "session_end", reason: "ended_by_persona_request" });
    voice().receive({ type: "session_end", reason: "ended_by_persona_request" });
    expect(closed).toMatchObject([{ reason: "persona" }]);
  });

  it("says bye when the person ends the session, and frees everything", async () => {
    const client = await listening();
    await client.disconnect();
    expect(voice().sentTypes().at(-1)).toBe("bye");
    expect(voice().closedWith).toBe(1000);
    expect(audio.free).toBe(true);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("goes on without the microphone when that stops, and can have it back", async () => {
    const client = await listening();
    client.microphone.stop();
    expect(client.connectionState).toBe("connected");
    expect(voice().sentTypes()).not.toContain("bye");
    expect(voice().closedWith).toBe(1000);
    expect(audio.free).toBe(true);
    void client.microphone.start();
    await settle();
    expect(client.microphone.state).toBe("connecting");
    expect(audio.tracks).toHaveLength(2);
  });
});

describe("losses", () => {
  it("of the device end the microphone with the reason", async () => {
    const client = await listening();
    const states = record(client, "MICROPHONE_STATE");
    audio.tracks[0]?.dispatchEvent(new Event("ended"));
    expect(states).toMatchObject([{ state: "off", error: { code: "microphone_lost" } }]);
    expect(voice().closedWith).toBe(1000);
    expect(audio.free).toBe(true);
  });

  it("of the socket for good free the device", async () => {
    const client = await listening();
    const states = record(client, "MICROPHONE_STATE");
    voice().drop(4005, "Recognition would not start.");
    expect(states).toMatchObject([
      { state: "off", error: { code: "microphone_refused", message: "Recognition would not start." } },
    ]);
    expect(audio.free).toBe(true);
  });

  it("of the audio system, on a telephone call say, mend themselves", async () => {
    await listening();
    const [context] = audio.contexts;
    context?.become("suspended");
    expect(context?.state).toBe("running");
  });

  it("that pass are told, with the reason, and end in listening", async () => {
    const client = await listening();
    const states = record(client, "MICROPHONE_STATE");
    voice().drop(4003, "Another microphone is in use.");
    await vi.advanceTimersByTimeAsync(3100);
    voice().accept();
    voice().receive(ready);
    expect(states).toMatchObject([
      { state: "reconnecting", error: { message: "Another microphone is in use." } },
      { state: "connecting" },
      { state: "listening" },
    ]);
    expect(client.microphone.state).toBe("listening");
  });
});
