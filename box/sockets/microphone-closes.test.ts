// Every way a microphone socket is refused or ended by the box.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { microphoneCloseCode as code } from "../../contract/microphone-socket.ts";
import type { Caller } from "../access/caller.ts";
import { RecognitionError } from "../hearing/recogniser.ts";
import { HeldReply } from "../testing/fake-model.ts";
import { Microphones, refusedWith } from "../testing/microphones.ts";
import { otherKey, startTestBox, type TestBox } from "../testing/test-box.ts";
import type { MayDrive } from "./microphone-turns.ts";

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

describe("refusals", () => {
  test("a credential that is none is refused before there is a socket", async () => {
    await expect(open("nobody's")).rejects.toThrow("401");
    await expect(open("")).rejects.toThrow("401");
  });

  test("4001 without a recogniser, live or not", async () => {
    await box.end();
    box = await startTestBox({ RECOGNISER: "none" });
    microphones = new Microphones(box);
    await refusedWith(await open(), code.noRecognition);
    await box.connect();
    await refusedWith(await open(), code.noRecognition);
  });

  test("4005 where the recogniser that is configured could not be loaded, in its own words", async () => {
    box.ears.available = false;
    const { detail } = box.ears.state();
    expect(await refusedWith(await open(), code.recognitionFailed)).toMatchObject({ error: detail });
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

  test("4005 when recognition fails while the socket opens", async () => {
    const settings = Promise.withResolvers<never>();
    await box.connect();
    box.services.turns.voiceFor = () => settings.promise;
    const microphone = await open();
    await expect.poll(() => box.ears.listeners.length).toBe(1);
    box.ears.listener.tell({ case: "failed", message: "The recogniser stopped." });
    const last = await refusedWith(microphone, code.recognitionFailed);
    expect(last).toMatchObject({ error: "The recogniser stopped." });
    settings.reject(new Error("Too late."));
    await expect.poll(() => box.ears.listener.closed).toBe(true);
  });

  test("4006 when the voice cannot be settled, and nobody goes on listening", async () => {
    await box.connect();
    box.services.turns.voiceFor = () => Promise.reject(new TypeError("Broken."));
    await refusedWith(await open(), code.setUpFailed);
    const loading = Promise.withResolvers<void>();
    box.ears.loaded = loading.promise;
    await refusedWith(await open(), code.setUpFailed);
    loading.resolve();
    await expect.poll(() => box.ears.listeners.map(({ closed }) => closed)).toEqual([true, true]);
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
    microphones = new Microphones(box);
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
    for (const microphone of microphones.opened) expect(microphone.types()).toEqual(["ready"]);
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
    await expect.poll(() => microphones.opened[0]?.types()).toContain("reply");
    expect(stranger.types()).toEqual(["error"]);
  });
});
