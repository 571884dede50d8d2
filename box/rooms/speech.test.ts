// An agent's speech in a room: heard in order, ended once, and told of.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { FakeRoom, FakeSound } from "../testing/fake-rooms.ts";
import { enter, methods, settle, sound } from "../testing/room-agent.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";
import { RoomCallError } from "./connection.ts";

let box: TestBox;
beforeEach(async () => {
  box = await startTestBox();
});
afterEach(() => box.close());

describe("a segment", () => {
  test("is heard, and told of at its beginning and its end", async () => {
    const room = await enter(box);
    const segment = room.speak();
    segment.write(sound(100));
    segment.write(sound(200));
    segment.end();
    await expect.poll(() => methods(room)).toEqual(["started", "finished"]);
    expect(room.calls[0]).toEqual({ to: "agent-1", method: "lk.playback_started", payload: "" });
    expect(room.calls[1]).toEqual({
      to: "agent-1",
      method: "lk.playback_finished",
      payload: '{"playback_position":0.3,"interrupted":false,"synchronized_transcript":null}',
    });
    expect(box.media.stage.pushedMs).toBe(300);
    expect(segment.closed).toBe(true);
  });

  test("follows the one before it, and its position begins anew", async () => {
    const room = await enter(box);
    for (const milliseconds of [100, 50]) {
      const segment = room.speak();
      segment.write(sound(milliseconds));
      segment.end();
      await settle();
    }
    await expect
      .poll(() => room.finished.map(({ playback_position }) => playback_position))
      .toEqual([0.1, 0.05]);
  });

  test("of stereo, cut within samples, is mixed down and whole", async () => {
    const room = await enter(box);
    const pushed: number[] = [];
    box.media.stage.onPushed = (pcm) => pushed.push(...pcm);
    const segment = room.speak("agent-1", { sample_rate: "8000", num_channels: "2" });
    const bytes = new Uint8Array(Int16Array.from([100, 300, -100, -300]).buffer);
    for (const byte of bytes) segment.write(Uint8Array.of(byte));
    segment.end();
    await expect.poll(() => room.finished.length).toBe(1);
    expect(pushed).toEqual([200, -200]);
  });

  test("without a sample is over without a word", async () => {
    const room = await enter(box);
    const empty = room.speak();
    empty.end();
    const odd = room.speak();
    odd.write(Uint8Array.of(1));
    odd.end();
    await settle();
    expect(room.calls).toEqual([]);
  });

  test.each([
    [{}],
    [{ sample_rate: "24000" }],
    [{ sample_rate: "96000", num_channels: "1" }],
    [{ sample_rate: "24000", num_channels: "0" }],
  ])("that says %j of itself is sent away", async (attributes) => {
    const room = await enter(box);
    const segment = room.speak("agent-1", attributes as Record<string, string>);
    segment.write(sound(10));
    await settle();
    expect(segment.closed).toBe(true);
    expect(box.media.stage.pushedMs).toBe(0);
    expect(box.logged.some((line) => line.msg === "an agent's sound was refused")).toBe(true);
  });

  test("that breaks off is heard as far as it came", async () => {
    const room = await enter(box);
    const segment = room.speak();
    segment.write(sound(100));
    segment.breakOff();
    await expect.poll(() => room.finished).toMatchObject([{ playback_position: 0.1, interrupted: true }]);
  });

  test("keeps the room from running idle, and is news to its owner's sockets", async () => {
    const socket = await box.socket();
    const room = await enter(box, { held: true, body: { idle_minutes: 0.01 } });
    const segment = room.speak();
    segment.write(sound(100));
    expect(await socket.next("avatar_speech_started")).toMatchObject({ correlationId: null });
    await new Promise((resolve) => setTimeout(resolve, 900));
    expect(box.services.slot.current).not.toBeNull();
    box.media.stage.finishSpeaking();
    await socket.next("avatar_speech_ended");
    await expect.poll(() => box.services.slot.current).toBeNull();
  });
});

/** Whatever comes in which order, an agent that sent sound hears once that it is over. */
describe("an interrupted segment is over exactly once", () => {
  const orders: Record<string, (room: FakeRoom, segment: FakeSound) => void> = {
    "closed, then cleared": (room, segment) => {
      segment.end();
      room.listener.clearBuffer("agent-1");
    },
    "closed, then cleared twice": (room, segment) => {
      segment.end();
      room.listener.clearBuffer("agent-1");
      room.listener.clearBuffer("agent-1");
    },
    "cleared, then closed": (room, segment) => {
      room.listener.clearBuffer("agent-1");
      segment.end();
    },
    "cleared twice, then closed": (room, segment) => {
      room.listener.clearBuffer("agent-1");
      room.listener.clearBuffer("agent-1");
      segment.end();
    },
    "cleared, closed, cleared": (room, segment) => {
      room.listener.clearBuffer("agent-1");
      segment.end();
      room.listener.clearBuffer("agent-1");
    },
    "cleared, then more sound, then closed": (room, segment) => {
      room.listener.clearBuffer("agent-1");
      segment.write(sound(100));
      segment.end();
    },
    "cleared, and never closed": (room) => room.listener.clearBuffer("agent-1"),
  };

  test.each(Object.keys(orders))("%s", async (order) => {
    const room = await enter(box, { held: true });
    box.media.stage.playedShare = 0.5;
    const segment = room.speak();
    segment.write(sound(400));
    await expect.poll(() => methods(room)).toEqual(["started"]);
    orders[order]?.(room, segment);
    await expect
      .poll(() => room.finished)
      .toEqual([{ playback_position: 0.2, interrupted: true, synchronized_transcript: null }]);
    await settle();
    box.media.stage.finishSpeaking();
    await settle();
    expect(room.finished).toHaveLength(1);
    expect(box.media.stage.pushedMs).toBe(400);
    // And the next one is heard as if nothing had been.
    box.media.stage.held = false;
    const next = room.speak();
    next.write(sound(100));
    next.end();
    await expect
      .poll(() => room.finished.slice(1))
      .toMatchObject([{ playback_position: 0.1, interrupted: false }]);
  });

  test.each([
    [
      "sound comes after the call that it was sent before",
      (segment: FakeSound) => segment.write(sound(10)),
      1,
    ],
    ["there is none", (segment: FakeSound) => segment.end(), 0],
  ])("cleared before any sound was here, when %s", async (_, then, expected) => {
    const room = await enter(box);
    const segment = room.speak();
    room.listener.clearBuffer("agent-1");
    then(segment);
    await settle();
    segment.end();
    await settle();
    expect(room.finished).toEqual(
      Array.from({ length: expected }, () => ({
        playback_position: 0,
        interrupted: true,
        synchronized_transcript: null,
      })),
    );
    expect(box.media.stage.pushedMs).toBe(0);
  });

  test("nothing to interrupt is nothing to tell, and interrupts nobody else", async () => {
    const room = await enter(box, { held: true });
    expect(room.listener.clearBuffer("agent-1")).toBe("ok");
    await box.ask("/api/talk", { body: { text: "I go on." } });
    room.listener.clearBuffer("agent-1");
    await settle();
    expect(box.media.stage.interrupts).toBe(0);
    expect(room.calls).toEqual([]);
  });

  test("by a stage that does not answer", async () => {
    const room = await enter(box, { held: true });
    box.media.stage.deaf = true;
    const segment = room.speak();
    segment.write(sound(400));
    await expect.poll(() => methods(room)).toEqual(["started"]);
    room.listener.clearBuffer("agent-1");
    await expect.poll(() => room.finished).toMatchObject([{ interrupted: true }]);
  });

  test("by the owner", async () => {
    const room = await enter(box, { held: true });
    room.speak().write(sound(400));
    await expect.poll(() => methods(room)).toEqual(["started"]);
    await box.ask("/api/interrupt", { method: "POST" });
    expect(room.finished).toMatchObject([{ interrupted: true }]);
  });

  test("by the end of the session, as long as anybody can be told", async () => {
    const room = await enter(box, { held: true });
    room.speak().write(sound(400));
    await expect.poll(() => methods(room)).toEqual(["started"]);
    await box.ask("/rtc/leave", { method: "POST" });
    expect(room.finished).toMatchObject([{ interrupted: true }]);
    expect(room.closed).toBe(true);
  });

  test("by a stage that takes no more", async () => {
    const room = await enter(box);
    box.media.stage.full = true;
    room.speak().write(sound(400));
    await expect.poll(() => room.finished).toMatchObject([{ interrupted: true, playback_position: 0 }]);
  });
});

describe("a stream whose end is lost", () => {
  test("is over when the next one has begun", { timeout: 10_000 }, async () => {
    const room = await enter(box);
    room.speak().write(sound(100));
    await settle();
    expect(room.finished).toEqual([]);
    const next = room.speak();
    next.write(sound(50));
    next.end();
    await expect
      .poll(() => room.finished.map(({ playback_position }) => playback_position), { timeout: 5_000 })
      .toEqual([0.05, 0.1]);
  });
});

describe("the agent's answers", () => {
  test("to playback_started: one that has no such method is not asked again", async () => {
    const room = await enter(box);
    room.answer = ({ method }) => {
      if (method === "lk.playback_started") throw new RoomCallError(1400, "Method not supported");
      return "ok";
    };
    for (let i = 0; i < 3; i++) {
      const segment = room.speak();
      segment.write(sound(10));
      segment.end();
      await settle();
    }
    await expect.poll(() => methods(room)).toEqual(["started", "finished", "finished", "finished"]);
  });

  test.each([
    [1, 2],
    [2, 3],
    [9, 3],
  ])("to playback_finished: after %d failures it was called %d times", async (failures, expected) => {
    const room = await enter(box);
    let left = failures;
    room.answer = ({ method }) => {
      if (method === "lk.playback_finished" && left-- > 0)
        throw new RoomCallError(1501, "Connection timeout");
      return "ok";
    };
    const segment = room.speak();
    segment.write(sound(10));
    segment.end();
    await expect.poll(() => room.finished.length).toBe(expected);
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(room.finished).toHaveLength(expected);
  });
});
