import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import {
  microphoneCloseCode,
  microphoneEventSchema,
  microphoneSocketPath,
} from "../../contract/microphone-socket.ts";
import { Credentials } from "./credentials.ts";
import type { VisavisError } from "./errors.ts";
import { Http } from "./http.ts";
import { microphonePath, parseMicrophoneEvent } from "./microphone-protocol.ts";
import { MicrophoneSocket, type MicrophoneSocketState } from "./microphone-socket.ts";
import { FakeSocket, installFakeSocket } from "./testing/fake-socket.ts";

beforeEach(() => {
  vi.useFakeTimers();
  installFakeSocket();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

const settle = () => vi.advanceTimersByTimeAsync(0);
const ready = { type: "ready", sample_rate: 16_000, voice_origin: "box" } as const;

async function open({ lifeSeconds = 3600 } = {}) {
  let minted = 0;
  const world = { live: true };
  const ended = vi.fn<(error: VisavisError) => void>();
  const events: string[] = [];
  const states: MicrophoneSocketState[] = [];
  const credentials = new Credentials({
    getCredential: async () => ({ secret: `secret-${++minted}`, expires_in: lifeSeconds }),
  });
  const socket = new MicrophoneSocket({
    http: new Http({ baseUrl: "https://face.test", credentials }),
    greeting: () => [{ type: "config", avatar: "maya" }],
    isLive: () => world.live,
    onEvent: (event) => events.push(event.type),
    onState: (state) => states.push(state),
    onEnded: ended,
  });
  socket.open();
  await settle();
  return { socket, ended, events, states, world };
}

/** Up to the moment the box listens. */
function attach() {
  FakeSocket.last.accept();
  FakeSocket.last.receive(ready);
}

const token = () => new URL(FakeSocket.last.url).searchParams.get("session_token");

describe("the copies of the contract's constants", () => {
  it("are equal to it, and know its every event", () => {
    expect(microphonePath).toBe(microphoneSocketPath);
    for (const option of microphoneEventSchema.options) {
      const [type] = option.shape.type.values;
      expect(parseMicrophoneEvent(JSON.stringify({ type }))).toEqual({ type });
    }
    expect(parseMicrophoneEvent('{"type":"of_tomorrow"}')).toBeNull();
  });
});

describe("MicrophoneSocket", () => {
  it("dials with its credential, greets, and sends sound once the box listens", async () => {
    const { socket, states } = await open();
    expect(new URL(FakeSocket.last.url).pathname).toBe("/api/voice/ws");
    expect(token()).toBe("secret-1");
    FakeSocket.last.accept();
    expect(FakeSocket.last.sent).toEqual([{ type: "config", avatar: "maya" }]);
    socket.sendSound(new ArrayBuffer(2));
    expect(FakeSocket.last.sentSound).toEqual([]);
    FakeSocket.last.receive(ready);
    socket.sendSound(new ArrayBuffer(4));
    expect(FakeSocket.last.sentSound.map(({ byteLength }) => byteLength)).toEqual([4]);
    expect(states).toEqual(["dialling", "open", "ready"]);
  });

  it("drops sound that the line cannot carry in time, and goes on with what follows", async () => {
    const { socket } = await open();
    attach();
    FakeSocket.last.bufferedAmount = 80_000;
    socket.sendSound(new ArrayBuffer(2));
    FakeSocket.last.bufferedAmount = 0;
    socket.sendSound(new ArrayBuffer(4));
    expect(FakeSocket.last.sentSound.map(({ byteLength }) => byteLength)).toEqual([4]);
  });

  it.each([1000, 1001, 1006, 1008, 1011])(
    "dials again after an ordinary close with %i, and renews",
    async (code) => {
      const { ended } = await open();
      attach();
      FakeSocket.last.drop(code);
      await vi.advanceTimersByTimeAsync(600);
      expect(FakeSocket.all).toHaveLength(2);
      expect(token()).toBe("secret-2");
      expect(ended).not.toHaveBeenCalled();
    },
  );

  it.each([
    [microphoneCloseCode.noRecognition, "microphone_refused"],
    [microphoneCloseCode.credentialRevoked, "credential"],
    [microphoneCloseCode.recognitionFailed, "microphone_refused"],
    [microphoneCloseCode.idle, "session_expired"],
    [microphoneCloseCode.maxLength, "session_expired"],
  ])("never dials again after %i, and tells the box's own sentence", async (closed, code) => {
    const { ended } = await open();
    FakeSocket.last.accept();
    FakeSocket.last.receive({ type: "error", error: "The box says why.", fatal: true, code: closed });
    FakeSocket.last.drop(closed, "The box says why.");
    await vi.advanceTimersByTimeAsync(300_000);
    expect(FakeSocket.all).toHaveLength(1);
    expect(ended).toHaveBeenCalledOnce();
    expect(ended.mock.calls[0]?.[0]).toMatchObject({ code, message: "The box says why." });
  });

  it("has a sentence of its own when the box had none", async () => {
    const { ended } = await open();
    FakeSocket.last.accept();
    FakeSocket.last.drop(microphoneCloseCode.noRecognition);
    expect(ended.mock.calls[0]?.[0].message).toMatch(/still type/);
  });

  it("waits for the session to be live after 4002", async () => {
    const { socket, world } = await open();
    world.live = false;
    FakeSocket.last.accept();
    FakeSocket.last.drop(microphoneCloseCode.noSession);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(FakeSocket.all).toHaveLength(1);
    expect(socket.state).toBe("held");
    world.live = true;
    socket.sessionIsLive();
    await settle();
    expect(FakeSocket.all).toHaveLength(2);
  });

  it("does not dial while there is no session to be heard in, and does once there is", async () => {
    const { socket, world } = await open();
    attach();
    world.live = false;
    FakeSocket.last.drop();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(FakeSocket.all).toHaveLength(1);
    world.live = true;
    socket.sessionIsLive();
    await settle();
    expect(FakeSocket.all).toHaveLength(2);
  });

  it.each([microphoneCloseCode.slotTaken, microphoneCloseCode.setUpFailed])(
    "takes its time after %i",
    async (code) => {
      await open();
      FakeSocket.last.accept();
      FakeSocket.last.drop(code);
      await vi.advanceTimersByTimeAsync(1400);
      expect(FakeSocket.all).toHaveLength(1);
      await vi.advanceTimersByTimeAsync(1700);
      expect(FakeSocket.all).toHaveLength(2);
    },
  );

  it("gives up after eight tries in a row, counted anew from each ready", async () => {
    const { ended } = await open();
    for (let round = 0; round < 2; round++) {
      attach();
      for (let tries = 0; tries < 8; tries++) {
        FakeSocket.last.drop();
        await vi.advanceTimersByTimeAsync(10_000);
        FakeSocket.last.accept();
      }
      expect(ended).not.toHaveBeenCalled();
    }
    FakeSocket.last.drop();
    expect(ended).toHaveBeenCalledOnce();
  });

  it("does not wait for ever for a box that never listens", async () => {
    const { states } = await open();
    FakeSocket.last.accept();
    await vi.advanceTimersByTimeAsync(20_000);
    expect(FakeSocket.last.closedWith).toBe(1000);
    expect(states.at(-1)).toBe("waiting");
  });

  it("is over for good after session_end", async () => {
    const { ended, events, states } = await open();
    attach();
    FakeSocket.last.receive({ type: "session_end", reason: "ended_by_persona_request" });
    FakeSocket.last.drop(1000);
    await vi.advanceTimersByTimeAsync(300_000);
    expect(events).toEqual(["ready", "session_end"]);
    expect(states.at(-1)).toBe("ended");
    expect(FakeSocket.all).toHaveLength(1);
    expect(ended).not.toHaveBeenCalled();
  });

  it("sends a fresh credential ahead of time, and when the box asks for one", async () => {
    await open({ lifeSeconds: 300 });
    attach();
    await vi.advanceTimersByTimeAsync(241_000);
    expect(FakeSocket.last.sent.slice(1)).toEqual([{ type: "auth", token: "secret-2" }]);
    FakeSocket.last.receive({ type: "auth_required", message: "Lapsed." });
    await settle();
    expect(FakeSocket.last.sent.slice(2)).toEqual([{ type: "auth", token: "secret-3" }]);
  });

  it("leaves no timer and no socket behind when it is closed, in any state", async () => {
    const moments = [() => undefined, () => FakeSocket.last.accept(), attach, () => FakeSocket.last.drop()];
    for (const moment of moments) {
      const { socket, ended } = await open();
      moment();
      socket.close();
      expect(vi.getTimerCount()).toBe(0);
      expect(FakeSocket.last.readyState).toBeGreaterThan(1);
      expect(ended).not.toHaveBeenCalled();
    }
  });
});
