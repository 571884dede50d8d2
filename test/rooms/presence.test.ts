// Who comes and goes: other agents, the avatar's own agent, the network, and whoever runs the room.

import { dispose } from "@livekit/rtc-node";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { seconds, Venue } from "./meeting.ts";
import { isReal } from "./service.ts";

let venue: Venue;

beforeAll(async () => {
  venue = await Venue.open();
});

afterEach(() => venue.clear());

afterAll(async () => {
  await venue?.close();
  await dispose();
});

it("listens to the agent that its token names, and to no other", async () => {
  const meeting = await venue.meet();
  const other = await venue.agent(meeting.room, "other");
  await meeting.join();
  await meeting.seen();
  expect(await other.clear()).toBe("reject");
  await other.say(seconds(1, 800));
  expect(await meeting.settle()).toBe(0);
  expect(other.finished).toEqual([]);
  expect(other.started).toEqual([]);

  // Nor can the other one interrupt.
  const segment = await meeting.agent.open();
  const from = meeting.heard().length;
  await segment.write(seconds(3));
  await meeting.speaking(from);
  expect(await other.clear()).toBe("reject");
  await segment.close();
  const end = await meeting.finished(2);
  expect(end).toMatchObject({ interrupted: false });
  expect(end?.playback_position).toBeCloseTo(3, 1);
});

it("listens to the agent that the join names, whatever the token says", async () => {
  const meeting = await venue.meet();
  const other = await venue.agent(meeting.room, "other");
  await meeting.join({ engine_identity: "other" });
  await meeting.seen();
  expect(await meeting.agent.clear()).toBe("reject");
  await meeting.agent.say(seconds(1, 800));
  await other.say(seconds(0.5));
  await expect.poll(() => other.finished).toMatchObject([{ interrupted: false }]);
  expect(meeting.agent.finished).toEqual([]);
});

it("waits for an agent that comes after it, and takes back one that went", async () => {
  const room = venue.service.roomName();
  const token = await venue.avatarToken(room);
  const body = { rtc_url: venue.service.url, rtc_token: token, room_name: room };
  expect((await venue.ask("POST", "/rtc/join", body)).status).toBe(200);
  const first = await venue.agent(room);
  await expect.poll(() => first.visitor.seen(venue.avatar).length).toBeGreaterThan(5);
  await first.say(seconds(1));
  await expect.poll(() => first.finished).toMatchObject([{ interrupted: false }]);

  // In the middle of a word.
  const segment = await first.open();
  await segment.write(seconds(4));
  await expect.poll(() => first.started.length).toBe(2);
  await first.visitor.leave();
  const second = await venue.agent(room);
  await expect.poll(() => second.visitor.seen(venue.avatar).length).toBeGreaterThan(5);
  await second.say(seconds(1, 600));
  await expect.poll(() => second.finished.at(-1)).toMatchObject({ interrupted: false });
  const end = second.finished.at(-1);
  expect(end?.playback_position).toBeCloseTo(1, 1);
  expect((await venue.status()).body).toMatchObject({ state: "busy", room });
});

// A real server has no switch for its own cables.
it.skipIf(isReal)("resumes after its socket broke, and speaks on", async () => {
  const meeting = await venue.meet();
  await meeting.join();
  await meeting.seen();
  const segment = await meeting.agent.open();
  await segment.write(seconds(4));
  await meeting.speaking();
  venue.own.cutSignal(venue.avatar);
  await segment.close();
  const end = await meeting.finished(1);
  expect(end).toMatchObject({ interrupted: false });
  expect(end?.playback_position).toBeCloseTo(4, 1);
  expect(meeting.agent.visitor.count("left")).toBe(0);
  expect(await meeting.settle()).toBe(1);
});

it.skipIf(isReal)("begins anew when it cannot resume: both tracks come back, and it speaks", async () => {
  const meeting = await venue.meet();
  await meeting.join();
  await meeting.seen();
  for (const cut of [
    () => venue.own.cutSignal(venue.avatar, { refuseForMs: 500 }),
    () => venue.own.forceReconnect(venue.avatar),
  ]) {
    const before = meeting.agent.visitor.count("subscribed");
    cut();
    await expect.poll(() => meeting.agent.visitor.count("subscribed")).toBe(before + 2);
    const [sounds, pictures] = [meeting.heard().length, meeting.agent.visitor.seen(venue.avatar).length];
    await expect.poll(() => meeting.heard().length).toBeGreaterThan(sounds + 50);
    await expect.poll(() => meeting.agent.visitor.seen(venue.avatar).length).toBeGreaterThan(pictures + 25);
    const told = meeting.agent.finished.length;
    expect(await meeting.settle()).toBe(told);
  }
  expect((await venue.status()).body).toMatchObject({ state: "busy", room: meeting.room });
});

it.skipIf(isReal)("stays with an agent whose own wire was cut", async () => {
  const meeting = await venue.meet();
  await meeting.join();
  await meeting.seen();
  venue.own.cutSignal("agent", { refuseForMs: 300 });
  await expect.poll(() => meeting.agent.visitor.count("reconnected")).toBe(1);
  const sounds = meeting.heard().length;
  await expect.poll(() => meeting.heard().length).toBeGreaterThan(sounds + 50);
  await meeting.settle();
});

it("frees the box when it is sent away or its room is deleted, and joins the next", async () => {
  const meeting = await venue.meet();
  await meeting.join();
  await meeting.seen();
  await venue.service.admin.removeParticipant(meeting.room, venue.avatar);
  await expect.poll(async () => (await venue.status()).body).toMatchObject({ state: "free", room: null });

  await meeting.join();
  await expect.poll(() => meeting.agent.visitor.count("entered", venue.avatar)).toBe(2);
  await venue.service.admin.deleteRoom(meeting.room);
  await expect.poll(async () => (await venue.status()).body).toMatchObject({ state: "free", room: null });

  const next = await venue.meet();
  await next.join();
  await next.seen();
  expect(await next.settle()).toBe(0);
});

it("is replaced by another that comes under its name", async () => {
  const meeting = await venue.meet();
  await meeting.join();
  await meeting.seen();
  await venue.visitor(meeting.room, venue.avatar);
  await expect.poll(async () => (await venue.status()).body).toMatchObject({ state: "free", room: null });
});
