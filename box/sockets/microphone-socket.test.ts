// The microphone socket itself: how it opens, whom it serves, and every way it ends.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  microphoneCloseCode as code,
  microphoneLimits,
  type MicrophoneEvent,
} from "../../contract/microphone-socket.ts";
import type { Caller } from "../access/caller.ts";
import { RecognitionError } from "../hearing/recogniser.ts";
import { HeldReply } from "../testing/fake-model.ts";
import type { MicrophoneClient } from "../testing/microphone-client.ts";
import { checkEvents } from "../testing/microphone-rules.ts";
import { otherKey, startTestBox, staticKey, type TestBox } from "../testing/test-box.ts";
import type { MayDrive } from "./microphone-turns.ts";

let box: TestBox;
const opened: MicrophoneClient[] = [];

beforeEach(async () => {
  box = await startTestBox();
});

afterEach(async () => {
  for (const microphone of opened.splice(0)) {
    expect(microphone.nonsense).toEqual([]);
    checkEvents(microphone.events, true);
    microphone.drop();
  }
  await expect.poll(() => box.services.microphones.size).toBe(0);
  expect(box.services.microphones.held).toBe(false);
  expect(box.ears.listeners.filter(({ closed }) => !closed)).toEqual([]);
  await box.close();
});

async function open(key?: string): Promise<MicrophoneClient> {
  const microphone = await box.microphone(key === undefined ? {} : { key });
  opened.push(microphone);
  return microphone;
}

async function ready(): Promise<MicrophoneClient> {
  await box.connect();
  const microphone = await open();
  await microphone.next("ready");
  return microphone;
}

/** It was told why, and then closed with the same code and sentence. */
async function refusedWith(microphone: MicrophoneClient, expected: number): Promise<MicrophoneEvent> {
  const close = await microphone.closed;
  const last = microphone.events.at(-1);
  expect(last).toMatchObject({ type: "error", fatal: true, code: expected });
  expect(close).toEqual({ code: expected, reason: last?.type === "error" ? last.error : "" });
  if (!last) throw new Error("There is no last event.");
  return last;
}

describe("refusals", () => {
  test("a credential that is none is refused before there is a socket", async () => {
    await expect(open("nobody's")).rejects.toThrow("401");
    await expect(open("")).rejects.toThrow("401");
  });

  test("4001 without a recogniser, live or not", async () => {
    box.ears.available = false;
    await refusedWith(await open(), code.noRecognition);
    await box.connect();
    await refusedWith(await open(), code.noRecognition);
  });

  test("4002 without a live session of one's own", async () => {
    await refusedWith(await open(), code.noSession);
    await box.connect();
    await refusedWith(await open(otherKey), code.noSession);
  });

  test("4003 while another socket holds the microphone, and the next one has it once that closes", async () => {
    const first = await ready();
    await refusedWith(await open(), code.slotTaken);
    first.close();
    await first.closed;
    await (await open()).next("ready");
  });

  test("4004 when the credential is revoked", async () => {
    const microphone = await ready();
    box.services.microphones.revoke(new Set([box.services.slot.current?.digest ?? ""]));
    await refusedWith(microphone, code.credentialRevoked);
  });

  test("4005 when recognition would not start, in its own words", async () => {
    await box.connect();
    box.ears.refusal = new RecognitionError("The language model is missing.");
    const last = await refusedWith(await open(), code.recognitionFailed);
    expect(last).toMatchObject({ error: "The language model is missing." });
    box.ears.refusal = null;
    await (await open()).next("ready");
  });

  test("4006 when anything else goes wrong, in the box's words", async () => {
    await box.connect();
    box.ears.refusal = new Error("ENOENT /secret/place");
    const last = await refusedWith(await open(), code.setUpFailed);
    expect(JSON.stringify(last)).not.toContain("secret");
  });

  test.each([
    ["not_owner", code.slotTaken, "rtc_not_owner"],
    ["unverified", code.setUpFailed, "rtc_owner_unverified"],
  ] as const)(
    "whose room it is: %s closes with %d, at once or at the next turn",
    async (answer, expected, error_code) => {
      let owns: Awaited<ReturnType<MayDrive>> = "yes";
      const asked: Caller[] = [];
      const mayDrive: MayDrive = (caller) => {
        asked.push(caller);
        return Promise.resolve(owns);
      };
      box.services.microphones.attach({ ...box.services, mayDrive });
      const microphone = await ready();
      owns = answer;
      box.ears.listener.tell({ case: "likely", text: "Hello?" });
      await microphone.flush();
      expect(microphone.types()).toEqual(["ready"]);
      box.ears.listener.turn("Hello?");
      expect(await refusedWith(microphone, expected)).toMatchObject({ error_code });
      expect(await refusedWith(await open(), expected)).toMatchObject({ error_code });
      expect(asked.length).toBeGreaterThanOrEqual(4);
      expect(box.model.requests).toEqual([]);
      expect(box.services.slot.current).not.toBeNull();
    },
  );

  test("1001 when the box shuts down", async () => {
    const microphone = await ready();
    const ending = box.end();
    await refusedWith(microphone, code.goingAway);
    await ending;
  });
});

describe("what ends with the session", () => {
  test("4007 when it sat idle: silence is no activity", async () => {
    await box.end();
    box = await startTestBox({ SESSION_IDLE_SECONDS: "1" });
    const microphone = await ready();
    microphone.send(Buffer.alloc(32_000));
    await refusedWith(microphone, code.idle);
  });

  test("4008 when it reached its length", async () => {
    await box.connect({ body: { max_session_length_seconds: 1 } });
    await refusedWith(await open(), code.maxLength);
  });

  test("somebody who speaks keeps it from running idle", async () => {
    const microphone = await ready();
    const { limits } = box.services.slot.current ?? {};
    if (!limits) throw new Error("There is no session.");
    let touched = 0;
    limits.touch = () => touched++;
    microphone.send(Buffer.alloc(3_200));
    box.ears.listener.tell({ case: "endpoint", eot: 0, waitMs: 1, reason: "silence" });
    await microphone.flush();
    expect(touched).toBe(0);
    box.ears.listener.tell({ case: "speech_started", atMs: performance.now() });
    box.ears.listener.tell({ case: "partial", text: "Er" });
    expect(touched).toBe(2);
  });

  test("any other end is an ordinary close", async () => {
    const disconnected = await ready();
    await box.ask("/disconnect", { method: "POST" });
    expect((await disconnected.closed).code).toBe(code.normal);
    const replaced = await ready();
    await box.connect();
    expect((await replaced.closed).code).toBe(code.normal);
    const lost = await open();
    await lost.next("ready");
    box.media.stage.fail("The encoder broke.");
    expect((await lost.closed).code).toBe(code.normal);
    for (const microphone of opened) expect(microphone.types()).toEqual(["ready"]);
  });

  test("a socket of before never speaks into the session of another account", async () => {
    const held = new HeldReply();
    box.model.reply = () => held.stream();
    const mine = await ready();
    const { listener } = box.ears;
    listener.turn("A secret.");
    await expect.poll(() => box.model.requests.length).toBe(1);
    listener.tell({ case: "likely", text: "Another" });
    await box.connect({ key: otherKey });
    listener.turn("Speak for me.");
    expect((await mine.closed).reason).toMatch(/Another caller/);
    const theirs = await open(otherKey);
    await theirs.next("ready");
    box.model.reply = () => ["Welcome."];
    held.write("Your secret is safe.");
    held.end();
    mine.send({ type: "config", voice: "en-us+m1" });
    box.ears.listener.turn("Hello.");
    await expect
      .poll(() => box.model.requests.at(-1)?.messages)
      .toEqual([{ role: "user", content: "Hello." }]);
    await expect.poll(() => theirs.types()).toContain("reply");
    expect(JSON.stringify(theirs.events)).not.toContain("secret");
    expect(box.model.requests.map(({ messages }) => messages.at(-1)?.role)).not.toContain("assistant");
    expect(mine.types().filter((type) => type === "final")).toHaveLength(1);
    expect(box.voice.spoken.map(({ text }) => text)).toEqual(["Welcome."]);
    await refusedWith(await open(), code.noSession);
  });

  test("an account never gets events of another", async () => {
    await ready();
    const stranger = await open(otherKey);
    box.ears.listener.turn("A secret.");
    await expect.poll(() => opened[0]?.types()).toContain("reply");
    expect(stranger.types()).toEqual(["error"]);
  });
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
