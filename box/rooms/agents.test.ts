// Whose sound and tones a room's avatar heeds.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { agent, type FakeRoom } from "../testing/fake-rooms.ts";
import { enter, methods, settle, sound } from "../testing/room-agent.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";

let box: TestBox;
beforeEach(async () => {
  box = await startTestBox();
});
afterEach(() => box.close());

describe("of several agents one is heard", () => {
  const speaks = async (room: FakeRoom, from: string) => {
    const before = box.media.stage.pushedMs;
    const segment = room.speak(from);
    segment.write(sound(10));
    segment.end();
    await settle();
    return box.media.stage.pushedMs > before;
  };

  test("the one that the token publishes for", async () => {
    box.rooms.present = [agent("agent-0"), agent("agent-1")];
    const room = await enter(box);
    expect(await speaks(room, "agent-0")).toBe(false);
    expect(room.listener.clearBuffer("agent-0")).toBe("reject");
    expect(await speaks(room, "agent-1")).toBe(true);
    expect(room.listener.clearBuffer("agent-1")).toBe("ok");
    expect(new Set(room.calls.map(({ to }) => to))).toEqual(new Set(["agent-1"]));
  });

  test("the one that the join names", async () => {
    box.rooms.present = [agent("agent-1"), agent("agent-2")];
    const room = await enter(box, { body: { engine_identity: "agent-2" } });
    expect(await speaks(room, "agent-1")).toBe(false);
    expect(await speaks(room, "agent-2")).toBe(true);
  });

  test("the first there is, where the token leaves it open; and the next when it leaves", async () => {
    box.rooms.present = [];
    const room = await enter(box, { token: { attributes: { "lk.publish_on_behalf": "" } } });
    expect(await speaks(room, "agent-1")).toBe(false);
    room.listener.joined(agent("agent-1"));
    room.listener.joined(agent("agent-2"));
    expect(await speaks(room, "agent-1")).toBe(true);
    expect(await speaks(room, "agent-2")).toBe(false);
    room.listener.left("agent-1");
    expect(await speaks(room, "agent-2")).toBe(true);
  });

  test("one that leaves in the middle of a sentence is silenced when it comes back, and told", async () => {
    const room = await enter(box, { held: true });
    room.speak().write(sound(100));
    await expect.poll(() => methods(room)).toEqual(["started"]);
    room.listener.left("agent-1");
    await settle();
    expect(box.media.stage.interrupts).toBe(0);
    room.listener.joined(agent("agent-1"));
    await expect.poll(() => room.finished).toMatchObject([{ interrupted: true }]);
  });

  test("one that leaves is heard to the end of what it sent, hears of it when it is back, and speaks again", async () => {
    const room = await enter(box);
    room.speak().write(sound(100));
    await settle();
    room.listener.left("agent-1");
    await settle();
    expect(room.finished).toEqual([]);
    room.listener.joined(agent("agent-1"));
    await expect.poll(() => room.finished).toMatchObject([{ interrupted: true, playback_position: 0.1 }]);
    expect(await speaks(room, "agent-1")).toBe(true);
  });

  test("what it sends before the avatar is live is heard then, and what it took back is over", async () => {
    const taken = Promise.withResolvers<void>();
    box.rooms.published = taken.promise;
    const answer = box.join();
    await expect.poll(() => box.media.stages.length).toBe(1);
    const { room } = box.rooms;
    const takenBack = room.speak();
    takenBack.write(sound(30));
    expect(room.listener.clearBuffer("agent-1")).toBe("ok");
    const early = room.speak();
    early.write(sound(100));
    early.end();
    taken.resolve();
    expect((await answer).status).toBe(200);
    await expect
      .poll(() => room.finished.map(({ playback_position, interrupted }) => [playback_position, interrupted]))
      .toEqual([
        [0, true],
        [0.1, false],
      ]);
  });
});

describe("a tone that the agent asks for", () => {
  const ask = (room: FakeRoom, from: string, tone: string) =>
    room.listener.message({ from, topic: "vv.tone", text: JSON.stringify({ tone }), attributes: {} });

  test("is worn, by the agent's word alone", async () => {
    const room = await enter(box, { held: true });
    await box.media.stage.addTone("happy", "/nowhere");
    await box.media.stage.addTone("sad", "/nowhere");
    ask(room, "somebody", "sad");
    ask(room, "agent-1", "happy");
    expect(box.media.stage.shown).toEqual(["happy"]);
    room.speak().write(sound(100));
    await expect.poll(() => methods(room)).toEqual(["started"]);
    ask(room, "agent-1", "sad");
    expect(box.media.stage.shown).toEqual(["happy", "sad"]);
    ask(room, "agent-1", "furious");
    expect(box.media.stage.shown).toEqual(["happy", "sad"]);
  });
});
