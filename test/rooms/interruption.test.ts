// An agent that is interrupted closes its stream and clears the avatar's buffer, in whatever order, perhaps twice. It waits
// for one word that the segment is over: none hangs its turn, a second one ends the next.

import { dispose } from "@livekit/rtc-node";
import { afterAll, afterEach, beforeAll, expect, it } from "vitest";
import { seconds, Venue, type Meeting } from "./meeting.ts";
import type { Segment } from "./agent.ts";
import { audible } from "./visitor.ts";

let venue: Venue;

beforeAll(async () => {
  venue = await Venue.open();
});

afterEach(() => venue.clear());

afterAll(async () => {
  await venue?.close();
  await dispose();
});

/** Seconds: nobody waits for its end, and a slow machine must not reach it. At 8 kHz, so that it is soon sent. */
const longest = 20;

async function begin(): Promise<{ meeting: Meeting; segment: Segment }> {
  const meeting = await venue.meet();
  await meeting.join();
  await meeting.seen();
  const segment = await meeting.agent.open({ rate: 8_000 });
  await segment.write(seconds(longest, 440, 8_000));
  await meeting.speaking();
  return { meeting, segment };
}

/** One interrupted segment, told once, far from its end; and what is said next is heard. */
async function expectOneInterruption(meeting: Meeting): Promise<void> {
  const end = await meeting.finished(1);
  expect(end).toMatchObject({ interrupted: true, synchronized_transcript: null });
  expect(end?.playback_position).toBeGreaterThan(0.05);
  expect(end?.playback_position).toBeLessThan(longest - 1);
  // A second of silence, whenever it comes through, and before it less than was said.
  await expect.poll(() => meeting.heard().slice(-100).some(audible)).toBe(false);
  const heardMs = meeting.audible().reduce((sum, { durationMs }) => sum + durationMs, 0);
  expect(heardMs).toBeLessThan((longest - 1) * 1000);
  expect(await meeting.settle()).toBe(1);
  expect(meeting.agent.started).toHaveLength(2);
}

it("closed, then cleared", async () => {
  const { meeting, segment } = await begin();
  await segment.close();
  expect(await meeting.agent.clear()).toBe("ok");
  await expectOneInterruption(meeting);
});

it("cleared, then closed", async () => {
  const { meeting, segment } = await begin();
  expect(await meeting.agent.clear()).toBe("ok");
  await segment.close();
  await expectOneInterruption(meeting);
});

it("closed, then cleared twice", async () => {
  const { meeting, segment } = await begin();
  await segment.close();
  expect(await meeting.agent.clear()).toBe("ok");
  expect(await meeting.agent.clear()).toBe("ok");
  await expectOneInterruption(meeting);
});

it("cleared twice at once around the close", async () => {
  const { meeting, segment } = await begin();
  const answers = await Promise.all([meeting.agent.clear(), segment.close(), meeting.agent.clear()]);
  expect(answers).toEqual(["ok", undefined, "ok"]);
  await expectOneInterruption(meeting);
});

it("cleared while the stream goes on: the rest of it is heard by nobody", async () => {
  const { meeting, segment } = await begin();
  expect(await meeting.agent.clear()).toBe("ok");
  for (let piece = 0; piece < 20; piece += 1) await segment.write(seconds(0.1, 440, 8_000));
  await segment.close();
  await expectOneInterruption(meeting);
});

it("two segments were sent ahead: both are dropped, and the agent hears of what was playing", async () => {
  const { meeting, segment } = await begin();
  await segment.close();
  await meeting.agent.say(seconds(5, 800, 8_000), { rate: 8_000 });
  expect(await meeting.agent.clear()).toBe("ok");
  await expect.poll(() => meeting.agent.finished.length).toBeGreaterThan(0);
  expect(meeting.agent.finished[0]).toMatchObject({ interrupted: true });
  await meeting.settle();
  // What never began to play was never told as played to its end.
  expect(meeting.agent.finished.filter(({ interrupted }) => !interrupted)).toHaveLength(1);
});

it("cleared with nothing to clear: before anything was said, and after everything was", async () => {
  const meeting = await venue.meet();
  await meeting.join();
  await meeting.seen();
  expect(await meeting.agent.clear()).toBe("ok");
  expect(await meeting.settle()).toBe(0);
  expect(await meeting.agent.clear()).toBe("ok");
  expect(await meeting.agent.clear()).toBe("ok");
  expect(await meeting.settle()).toBe(1);
  expect(meeting.agent.finished.some(({ interrupted }) => interrupted)).toBe(false);
});

it("again and again: each segment is told once, with its own position", async () => {
  const meeting = await venue.meet();
  await meeting.join();
  await meeting.seen();
  for (let round = 1; round <= 5; round += 1) {
    const from = meeting.heard().length;
    const segment = await meeting.agent.open({ rate: 8_000 });
    await segment.write(seconds(longest, 440, 8_000));
    await meeting.speaking(from);
    await segment.close();
    await meeting.agent.clear();
    const end = await meeting.finished(round);
    expect(end).toMatchObject({ interrupted: true });
    expect(end?.playback_position).toBeLessThan(longest - 1);
  }
  expect(await meeting.settle()).toBe(5);
});
