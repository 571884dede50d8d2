import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { clientMessageSchemas } from "../../contract/control-socket.ts";
import { connectRequestSchema } from "../../contract/live.ts";
import { limits } from "../../contract/limits.ts";
import { type Client, createClient, type EventMap, type EventName } from "./index.ts";
import { FakePeer, installFakePeer } from "./testing/fake-peer.ts";
import { answerFor, FakeService } from "./testing/fake-service.ts";
import { FakeSocket, installFakeSocket } from "./testing/fake-socket.ts";

let service: FakeService;
let opened: number;

beforeEach(() => {
  vi.useFakeTimers();
  installFakeSocket();
  installFakePeer();
  opened = 0;
  service = new FakeService()
    .on("POST /connect", () => ({ body: answerFor(`session-${++opened}`) }))
    .on("POST /disconnect", () => ({ body: { ok: true } }))
    .on("POST /api/interrupt", () => ({ body: { ok: true } }))
    .install();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const settle = () => vi.advanceTimersByTimeAsync(0);

function makeClient() {
  return createClient({ baseUrl: "https://face.test", credential: "vv_live_k" });
}

function record<Name extends EventName>(client: Client, name: Name): EventMap[Name][] {
  const events: EventMap[Name][] = [];
  client.addListener(name, (event) => events.push(event));
  return events;
}

async function ready(sessionId: string | null) {
  await settle();
  FakeSocket.last.accept();
  FakeSocket.last.receive({ type: "session_ready", sessionId, avatar: "maya", tones: ["neutral"] });
}

async function goLive(client: Client) {
  await client.connect({ avatar: "maya" });
  await ready("session-1");
  FakePeer.last.become("connected");
}

describe("connect", () => {
  it("posts an offer that the contract accepts at once, receiving only, H.264 first, without buffering", async () => {
    const client = makeClient();
    const answer = await client.connect({ avatar: "maya", kind: "studio" });
    expect(answer.session_id).toBe("session-1");
    expect(client.sessionId).toBe("session-1");
    const [asked] = service.asking("/connect");
    expect(connectRequestSchema.parse(asked?.body)).toMatchObject({ sdp: "v=0 offer 1", avatar: "maya" });
    expect(asked?.key).toBe("vv_live_k");
    expect(FakePeer.last.directions).toEqual(["video recvonly", "audio recvonly"]);
    expect(FakePeer.last.codecPreferences[0]?.[0]?.mimeType).toBe("video/H264");
    expect(FakePeer.last.receivers.map((receiver) => receiver.jitterBufferTarget)).toEqual([0, 0]);
    expect(FakePeer.last.remote?.sdp).toBe("v=0 answer session-1");
  });

  it("is connected when both media and control are", async () => {
    const client = makeClient();
    const states = record(client, "CONNECTION_STATE");
    await client.connect();
    FakePeer.last.become("connected");
    expect(client.connectionState).toBe("connecting");
    await ready("session-1");
    expect(client.connectionState).toBe("connected");
    expect(states.map(({ state }) => state)).toEqual(["connecting", "connected"]);
  });

  it("rejects with the box's refusal, frees everything and may be tried again", async () => {
    service.on("POST /connect", () => ({
      status: 503,
      body: { error: { code: "box_unavailable", message: "No box is free." } },
      headers: { "Retry-After": "15" },
    }));
    const client = makeClient();
    const closed = record(client, "CLOSED");
    await expect(client.connect()).rejects.toMatchObject({ code: "box_unavailable", retryAfterSeconds: 15 });
    expect(FakePeer.last.connectionState).toBe("closed");
    expect(FakeSocket.all).toHaveLength(0);
    expect(vi.getTimerCount()).toBe(0);
    expect(closed).toEqual([{ reason: "refused", message: "No box is free." }]);
    service.on("POST /connect", () => ({ body: answerFor("later") }));
    await client.connect();
    expect(client.sessionId).toBe("later");
  });

  it("refuses a second session beside the first", async () => {
    const client = makeClient();
    await goLive(client);
    await expect(client.connect()).rejects.toMatchObject({ code: "already_connected" });
  });

  it("says so where the browser has no WebRTC", async () => {
    vi.stubGlobal("RTCPeerConnection", undefined);
    await expect(makeClient().connect()).rejects.toMatchObject({ code: "unsupported_browser" });
  });
});

describe("prepare", () => {
  it("fetches the credential and leaves no connection behind", async () => {
    const getCredential = vi.fn(async () => "early");
    const client = createClient({ baseUrl: "https://face.test", getCredential });
    await client.prepare();
    expect(FakePeer.all.map((peer) => peer.connectionState)).toEqual(["closed"]);
    await client.connect();
    expect(getCredential).toHaveBeenCalledOnce();
    expect(service.asking("/connect")[0]?.key).toBe("early");
  });

  it("fails in silence: connect() is the one to say what is wrong", async () => {
    vi.stubGlobal("RTCPeerConnection", undefined);
    const getCredential = () => Promise.reject(new Error("signed out"));
    await createClient({ baseUrl: "https://face.test", getCredential }).prepare();
  });
});

describe("talking", () => {
  it("sends what the contract accepts", async () => {
    const client = makeClient();
    await goLive(client);
    const correlationId = client.message("Hello");
    client.talk("Exactly this", { tone: "warm" });
    const stream = client.createTalkStream({ tone: "happy" });
    stream.write("One ");
    stream.write("two.", true);
    client.interrupt();
    const sent = FakeSocket.last.sent;
    for (const message of sent) {
      clientMessageSchemas[message["type"] as keyof typeof clientMessageSchemas].parse(message);
    }
    expect(sent[0]).toEqual({ type: "message", content: "Hello", correlationId });
    expect(sent[1]).toMatchObject({ type: "talk", content: "Exactly this", tone: "warm" });
    expect(sent.slice(2, 4).map(({ startOfSpeech, endOfSpeech }) => [startOfSpeech, endOfSpeech])).toEqual([
      [true, false],
      [false, true],
    ]);
    expect(sent[4]).toEqual({ type: "interrupt" });
    expect(() => stream.write("more")).toThrowError(/ended/);
  });

  it("refuses blank and oversized texts, and texts with nobody to say them", async () => {
    const client = makeClient();
    expect(() => client.message("Hello")).toThrowError(expect.objectContaining({ code: "not_connected" }));
    await goLive(client);
    expect(() => client.message("  \n")).toThrowError(expect.objectContaining({ code: "message_blank" }));
    const long = "x".repeat(limits.messageChars + 1);
    expect(() => client.talk(long)).toThrowError(expect.objectContaining({ code: "message_too_long" }));
  });

  it("interrupts over HTTP while the socket is down, and drops what was waiting", async () => {
    const client = makeClient();
    await goLive(client);
    FakeSocket.last.drop();
    client.message("never said");
    client.interrupt();
    await ready("session-1");
    await vi.advanceTimersByTimeAsync(1000);
    expect(service.asking("/api/interrupt")).toHaveLength(1);
    expect(FakeSocket.last.sentTypes()).not.toContain("message");
  });

  it("passes on the events of a turn", async () => {
    const client = makeClient();
    const clauses = record(client, "MESSAGE_STREAM_EVENT_RECEIVED");
    const started = record(client, "AVATAR_SPEECH_STARTED");
    await goLive(client);
    FakeSocket.last.receive({
      type: "message_stream",
      id: "m",
      role: "persona",
      content: "Hi.",
      contentIndex: 0,
      endOfSpeech: true,
      tone: "warm",
      correlationId: "c",
    });
    FakeSocket.last.receive({ type: "avatar_speech_started", correlationId: "c" });
    FakeSocket.last.receive({ type: "of_tomorrow" });
    expect(clauses[0]).toMatchObject({ content: "Hi.", correlationId: "c" });
    expect(started).toHaveLength(1);
  });
});

describe("losing the connection", () => {
  it("dials the control socket again and leaves the picture alone", async () => {
    const client = makeClient();
    await goLive(client);
    FakeSocket.last.drop();
    expect(client.connectionState).toBe("reconnecting");
    await vi.advanceTimersByTimeAsync(600);
    await ready("session-1");
    expect(client.connectionState).toBe("connected");
    expect(FakePeer.all).toHaveLength(1);
  });

  it("offers anew when ICE fails, after asking whose session it is", async () => {
    const client = makeClient();
    await goLive(client);
    FakePeer.last.become("failed");
    expect(client.connectionState).toBe("reconnecting");
    await vi.advanceTimersByTimeAsync(1100);
    expect(service.asking("/connect")).toHaveLength(1);
    await ready("session-1");
    await settle();
    expect(service.asking("/connect")).toHaveLength(2);
    await ready("session-2");
    FakePeer.last.become("connected");
    expect(client.connectionState).toBe("connected");
    expect(client.sessionId).toBe("session-2");
  });

  it("gives a short break three seconds to mend", async () => {
    const client = makeClient();
    await goLive(client);
    FakePeer.last.become("disconnected");
    await vi.advanceTimersByTimeAsync(2500);
    FakePeer.last.become("connected");
    await vi.advanceTimersByTimeAsync(5000);
    expect(FakePeer.all).toHaveLength(1);
    FakePeer.last.become("disconnected");
    await vi.advanceTimersByTimeAsync(3100);
    expect(client.connectionState).toBe("reconnecting");
  });

  it("leaves the box to the other tab that took it", async () => {
    const client = makeClient();
    const closed = record(client, "CLOSED");
    await goLive(client);
    FakePeer.last.become("failed");
    await vi.advanceTimersByTimeAsync(1100);
    await ready("session-of-another-tab");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(closed.map(({ reason }) => reason)).toEqual(["replaced"]);
    expect(service.asking("/connect")).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("opens the session anew on a box that has forgotten it", async () => {
    const client = makeClient();
    await goLive(client);
    FakeSocket.last.drop();
    await vi.advanceTimersByTimeAsync(600);
    await ready(null);
    await vi.advanceTimersByTimeAsync(1100);
    await ready(null);
    await settle();
    expect(service.asking("/connect")).toHaveLength(2);
  });

  it("does not offer anew after a fatal error", async () => {
    const client = makeClient();
    const errors = record(client, "ERROR");
    const closed = record(client, "CLOSED");
    await goLive(client);
    FakeSocket.last.receive({ type: "error", error: "Another caller went live.", fatal: true });
    FakePeer.last.become("failed");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(errors).toHaveLength(1);
    expect(closed).toEqual([{ reason: "refused", message: "Another caller went live." }]);
    expect(service.asking("/connect")).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });

  it("reports an expiry with its reason", async () => {
    const client = makeClient();
    const expired = record(client, "SESSION_EXPIRED");
    const closed = record(client, "CLOSED");
    await goLive(client);
    FakeSocket.last.receive({
      type: "session_expired",
      reason: "idle",
      message: "Idle.",
      seconds: 300,
      code: 4007,
    });
    expect(expired).toHaveLength(1);
    expect(closed).toEqual([{ reason: "idle", message: "Idle." }]);
  });
});

describe("the persona's goodbye", () => {
  it("ends a session without a microphone too, and nothing is offered anew", async () => {
    const client = makeClient();
    const closed = record(client, "CLOSED");
    await goLive(client);
    FakeSocket.last.receive({ type: "session_end", reason: "ended_by_persona_request" });
    FakePeer.last.become("failed");
    await vi.advanceTimersByTimeAsync(60_000);
    expect(closed).toMatchObject([{ reason: "persona" }]);
    expect(service.asking("/connect")).toHaveLength(1);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("disconnect", () => {
  it("tells the box, frees everything, and is harmless twice", async () => {
    const client = makeClient();
    const closed = record(client, "CLOSED");
    await goLive(client);
    await client.disconnect();
    await client.disconnect();
    expect(service.asking("/disconnect")).toHaveLength(1);
    expect(closed.map(({ reason }) => reason)).toEqual(["disconnected"]);
    expect(FakePeer.last.connectionState).toBe("closed");
    expect(FakeSocket.last.closedWith).toBe(1000);
    expect(vi.getTimerCount()).toBe(0);
    expect(client.connectionState).toBe("closed");
  });

  it("cancels a connection that is being made", async () => {
    const client = makeClient();
    const connecting = client.connect();
    await client.disconnect();
    await expect(connecting).rejects.toMatchObject({ code: "aborted" });
    expect(FakePeer.last.connectionState).toBe("closed");
  });

  it("stops telling listeners that were removed", async () => {
    const client = makeClient();
    const heard = vi.fn();
    const remove = client.addListener("CLOSED", heard);
    remove();
    client.addListener("CLOSED", heard);
    client.removeListener("CLOSED", heard);
    await goLive(client);
    await client.disconnect();
    expect(heard).not.toHaveBeenCalled();
  });
});
