// A room that was left frees every thread, socket and byte it took.

import { dispose } from "@livekit/rtc-node";
import { afterAll, beforeAll, expect, it } from "vitest";
import { footprint, type Footprint } from "../harness/process.ts";
import { second, Venue } from "./meeting.ts";

const warmUp = 8;
const windows = 3;
const cyclesAWindow = 14;
const mebibyte = 1024 * 1024;
/**
 * What LiveKit's client (1.1.0) keeps of every room it has left, in native memory that the box has no handle of: 0.8 MiB a stay by
 * itself (docs/rooms.md), and as much again for what an allocator keeps.
 */
const keptARoomBytes = 1.6 * mebibyte;

let venue: Venue;

beforeAll(async () => {
  venue = await Venue.open();
});

afterAll(async () => {
  await venue?.close();
  await dispose();
});

/** The box comes into a room, is seen, speaks in the middle of a segment, and goes in one of the ways there are. */
async function visit(how: "leave" | "kick" | "delete" | "disconnect"): Promise<void> {
  const meeting = await venue.meet();
  await meeting.join();
  await meeting.seen();
  const segment = await meeting.agent.open();
  await segment.write(second());
  await meeting.speaking();
  if (how === "leave") await meeting.leave();
  if (how === "kick") await venue.service.admin.removeParticipant(meeting.room, venue.avatar);
  if (how === "delete") await venue.service.admin.deleteRoom(meeting.room);
  if (how === "disconnect") await venue.ask("POST", "/disconnect");
  await segment.close().catch(() => {
    // The room is no more.
  });
  await venue.clear();
}

/**
 * Half-second looks without a change: longer than an idle HTTP connection is kept open (Node: five seconds) and an idle thread of
 * LiveKit's client (Tokio: ten).
 */
const quietLooks = 24;

/** What the box holds once nothing is left to tidy up. */
async function settled(): Promise<Footprint> {
  let now = footprint(venue.box.pid);
  for (let quiet = 0; quiet < quietLooks;) {
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
    const next = footprint(venue.box.pid);
    quiet = next.threads === now.threads && next.fds === now.fds ? quiet + 1 : 0;
    now = next;
  }
  return now;
}

it(`${warmUp + windows * cyclesAWindow} rooms leave nothing behind`, { timeout: 1_200_000 }, async () => {
  const ways = ["leave", "kick", "delete", "disconnect"] as const;
  const way = (cycle: number) => ways[cycle % ways.length] ?? "leave";
  for (let cycle = 0; cycle < warmUp; cycle += 1) await visit(way(cycle));
  const early = await settled();
  let late = early;
  const growths: number[] = [];
  for (let window = 0; window < windows; window += 1) {
    const before = late.rssBytes;
    for (let cycle = 0; cycle < cyclesAWindow; cycle += 1) await visit(way(cycle));
    late = await settled();
    growths.push(late.rssBytes - before);
  }
  expect(late.threads).toBeLessThanOrEqual(early.threads);
  expect(late.fds).toBeLessThanOrEqual(early.fds);
  expect(late.sockets).toBeLessThanOrEqual(early.sockets);
  // As in the test of browser sessions: a leak grows in every window, an allocator that keeps what it was given does not.
  expect(Math.min(...growths)).toBeLessThan(cyclesAWindow * keptARoomBytes);
});
