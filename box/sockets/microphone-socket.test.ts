// The microphone socket itself: what it hears, and what its client may do.

import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { microphoneCloseCode as code, microphoneLimits } from "../../contract/microphone-socket.ts";
import { Microphones, refusedWith } from "../testing/microphones.ts";
import { otherKey, startTestBox, staticKey, type TestBox } from "../testing/test-box.ts";

let box: TestBox;
let microphones: Microphones;
const open = (key?: string) => microphones.open(key);
const ready = () => microphones.ready();

beforeEach(async () => {
  box = await startTestBox();
  microphones = new Microphones(box);
});

afterEach(async () => {
  await microphones.close();
  await box.close();
});

describe("recognition", () => {
  test("what is said reaches the listener, in whole samples, once it is there and while it is not muted", async () => {
    const loading = Promise.withResolvers<void>();
    box.ears.loaded = loading.promise;
    await box.connect();
    const microphone = await open();
    microphone.send(Buffer.from([9, 9, 9]));
    microphone.send({ type: "resume" });
    await microphone.flush();
    expect(microphone.events).toEqual([]);
    loading.resolve();
    await microphone.next("action");
    // The odd byte of before is the first half of this sample.
    for (const bytes of [[1, 2], [0, 3], [0xff]]) microphone.send(Buffer.from(bytes));
    microphone.send({ type: "mute", muted: true });
    microphone.send(Buffer.from([5, 6]));
    microphone.send({ type: "mute", muted: false });
    microphone.send(Buffer.from([7, 8]));
    await microphone.flush();
    expect(box.ears.listener.samples).toEqual([0x0109, 0x0002, -253, 0x0807]);
    expect(box.ears.listener.playback).toBe(box.services.slot.current?.playback);
  });

  test("listens in the language of the call, also in one that was chosen while it opened", async () => {
    const loading = Promise.withResolvers<void>();
    box.ears.loaded = loading.promise;
    await box.connect();
    const microphone = await open();
    await microphone.flush();
    box.services.slot.current?.call.setLanguage("de");
    loading.resolve();
    await microphone.next("ready");
    expect(box.ears.listener.language).toBe("de");
  });

  test("no message is screened for a voice to be settled", async () => {
    const { turns } = box.services;
    const asked: string[] = [];
    const prepare = turns.prepare.bind(turns);
    turns.prepare = (request) => {
      asked.push(request.content);
      return prepare(request);
    };
    const microphone = await ready();
    microphone.send({ type: "config", voice: "no-such-voice" });
    await microphone.next("error");
    box.ears.listener.turn("Hello.");
    await microphone.next("reply");
    expect(asked).toEqual(["Hello."]);
  });

  test("words that are drawn and come to nothing are taken back", async () => {
    const microphone = await ready();
    const { listener } = box.ears;
    listener.tell({ case: "nothing" });
    listener.tell({ case: "partial", text: "Hm" });
    listener.tell({ case: "nothing" });
    listener.tell({ case: "partial", text: "Er" });
    microphone.send({ type: "mute", muted: true });
    await microphone.flush();
    expect(microphone.types()).toEqual(["ready", "partial", "caption_clear", "partial", "caption_clear"]);
    expect(listener.muted).toBe(true);
  });

  test.each([
    ["says so", () => box.ears.listener.tell({ case: "failed", message: "The recogniser stopped." })],
    ["throws", () => (box.ears.listener.broken = new Error("SIGSEGV"))],
  ])("recognition that %s ends the socket in an ordinary way", async (_, fail) => {
    const microphone = await ready();
    fail();
    microphone.send(Buffer.alloc(640));
    expect((await microphone.closed).code).toBe(code.normal);
    expect(microphone.events.slice(1)).toEqual([{ type: "error", error: expect.stringMatching(/recogni/i) }]);
    expect(JSON.stringify(microphone.events)).not.toContain("SIGSEGV");
    await (await open()).next("ready");
  });

  test("a recogniser that hangs is not waited for, and one that comes late is sent away", async () => {
    await box.connect();
    const loading = Promise.withResolvers<void>();
    box.ears.loaded = loading.promise;
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const microphone = await open();
      await microphone.flush();
      vi.advanceTimersByTime(19_000);
      await microphone.flush();
      expect(microphone.events).toEqual([]);
      vi.advanceTimersByTime(1_000);
      await refusedWith(microphone, code.recognitionFailed);
    } finally {
      vi.useRealTimers();
    }
    loading.resolve();
    await expect.poll(() => box.ears.listeners.map(({ closed }) => closed)).toEqual([true]);
  });

  test("whose account the voice is billed to", async () => {
    const { turns } = box.services;
    const voiceFor = turns.voiceFor.bind(turns);
    turns.voiceFor = async (request) => ({ ...(await voiceFor(request)), origin: "user" });
    await box.connect();
    expect(await (await open()).next("ready")).toMatchObject({ voice_origin: "user" });
  });

  test("a conversation mode is named, and has no captions", async () => {
    box.ears.mode = "openai_realtime";
    const microphone = await ready();
    expect(microphone.events[0]).toEqual({
      type: "ready",
      sample_rate: 16_000,
      voice_origin: "box",
      mode: "openai_realtime",
    });
    box.ears.listener.turn("Hello.");
    await microphone.next("reply");
    expect(microphone.types()).not.toContain("partial");
  });
});

describe("the client", () => {
  test("says goodbye: the session ends", async () => {
    const microphone = await ready();
    box.ears.listener.tell({ case: "partial", text: "Wai" });
    microphone.send({ type: "bye" });
    expect((await microphone.closed).code).toBe(code.normal);
    expect(microphone.types()).toEqual(["ready", "partial", "caption_clear"]);
    expect(box.services.slot.current).toBeNull();
    expect(box.logged.find((line) => line.msg === "session ended")).toMatchObject({ reason: "disconnected" });
  });

  test("knocks while nobody answers at the holder's: the first of two has it", async () => {
    const gone = await ready();
    gone.pause();
    const knocking = await Promise.all([open(), open()]);
    const codes = await Promise.all(
      knocking.map((microphone) => Promise.race([microphone.closed, microphone.next("ready")])),
    );
    expect(codes.map((what) => ("code" in what ? what.code : what.type)).sort()).toEqual([
      code.slotTaken,
      "ready",
    ]);
    gone.drop();
  });

  test("vanishes without a word: the same caller, back again, has the microphone soon", async () => {
    const gone = await ready();
    gone.pause();
    const again = await open();
    await again.next("ready");
    expect(box.services.microphones.held).toBe(true);
    gone.drop();
  });

  test("does not read: it is dropped, and the session serves on", async () => {
    const slow = await ready();
    slow.pause();
    const text = "x".repeat(64 * 1024);
    await expect
      .poll(() => {
        for (let index = 0; index < 16; index++) box.ears.listener.tell({ case: "partial", text });
        return box.services.microphones.held;
      })
      .toBe(false);
    await (await open()).next("ready");
    expect(box.services.slot.current).not.toBeNull();
  });

  test("renews its credential; another account's is none, and an aged one is reported once", async () => {
    const soon = Math.floor(Date.now() / 1000) + 1;
    const { access, slot } = box.services;
    const identify = access.identify.bind(access);
    const tokens: Record<string, { expires_at: number | null; digest: string }> = {
      token: { expires_at: soon, digest: "digest-1" },
      "fresh-token": { expires_at: soon + 3_600, digest: "digest-2" },
    };
    access.identify = async (secret) => {
      const caller = await identify(staticKey);
      return secret in tokens && caller ? { ...caller, ...tokens[secret] } : identify(secret);
    };
    await box.connect();
    const microphone = await open("token");
    expect((await microphone.next("auth_required")).message).toMatch(/auth message/);
    for (const token of ["nobody's", otherKey]) {
      microphone.send({ type: "auth", token });
      expect(await microphone.next("auth_state")).toEqual({ type: "auth_state", live: false });
    }
    microphone.send({ type: "auth", token: "fresh-token" });
    expect(await microphone.next("auth_state")).toEqual({ type: "auth_state", live: true });
    expect(slot.current?.digest).toBe("digest-2");
    box.services.microphones.revoke(new Set(["digest-1"]));
    box.ears.listener.turn("Hello.");
    await microphone.next("reply");
    expect(microphone.types().filter((type) => type === "auth_required")).toHaveLength(1);
    box.services.microphones.revoke(new Set(["digest-2"]));
    await refusedWith(microphone, code.credentialRevoked);
  });

  test("talks nonsense: answered a few times, then refused; unknown types are nobody's business", async () => {
    const microphone = await ready();
    microphone.send({ type: "dance" });
    microphone.send({ type: "config", volume: 11 });
    expect(await microphone.next("error")).toEqual({
      type: "error",
      error: expect.stringContaining("volume"),
    });
    for (const frame of ["nonsense", "[]", '{"type":3}', "null", "{"]) microphone.send(frame);
    await refusedWith(microphone, code.policy);
    expect(microphone.types().filter((type) => type === "error")).toHaveLength(6);
  });

  test("sends too much at once, or sound that never was", async () => {
    const large = await ready();
    large.send(Buffer.alloc(microphoneLimits.frameBytes + 1));
    expect((await large.closed).code).toBe(code.tooLarge);
    const fast = await open();
    await fast.next("ready");
    for (let index = 0; index < 11; index++) fast.send(Buffer.alloc(32_000));
    await refusedWith(fast, code.policy);
    const many = await open();
    await many.next("ready");
    for (let index = 0; index < 200; index++) many.send({ type: "mute", muted: false });
    await refusedWith(many, code.policy);
    await (await open()).next("ready");
    expect(box.logged.filter((line) => line.level === 40)).toHaveLength(3);
  });
});

test("a box told to think of tokens begins no reply before its turn is over", async () => {
  const thrifty = await startTestBox({ SPECULATIVE_REPLIES: "off" });
  try {
    await thrifty.connect();
    const client = await thrifty.microphone();
    await client.next("ready");
    thrifty.ears.listener.tell({ case: "likely", text: "How are you?" });
    // Answered in order: what an early reply would have asked is asked by now.
    client.send({ type: "resume" });
    await client.next("action");
    expect(thrifty.model.requests).toEqual([]);
    thrifty.ears.listener.turn("How are you?");
    expect(await client.next("metric")).toMatchObject({ spec: false });
    expect(thrifty.model.requests).toHaveLength(1);
  } finally {
    await thrifty.close();
  }
});
