// A session frees every thread, socket and byte it took.

import { afterAll, beforeAll, expect, it } from "vitest";
import { startBox, type BoxProcess } from "./harness/box.ts";
import { footprint, type Footprint } from "./harness/process.ts";
import { connectRtc } from "./harness/rtc-client.ts";

const cycles = 100;
const mebibyte = 1024 * 1024;

let box: BoxProcess;

beforeAll(async () => {
  box = await startBox();
});

afterAll(() => box?.stop());

/** One caller: goes live, receives pictures, and leaves in the given way. */
async function visit(leave: "disconnect" | "vanish"): Promise<void> {
  const client = await connectRtc(box.url);
  await expect.poll(() => client.video.length, { timeout: 5000, interval: 5 }).toBeGreaterThan(3);
  if (leave === "disconnect") await fetch(`${box.url}/disconnect`, { method: "POST" });
  client.close();
}

/** What the box holds once nothing is left to tidy up. */
async function settled(): Promise<Footprint> {
  let now = footprint(box.pid);
  for (let quiet = 0; quiet < 4;) {
    await new Promise((resolve) => {
      setTimeout(resolve, 500);
    });
    const next = footprint(box.pid);
    quiet = next.threads === now.threads && next.fds === now.fds ? quiet + 1 : 0;
    now = next;
  }
  return now;
}

it(`${cycles} sessions leave nothing behind`, { timeout: 240_000 }, async () => {
  for (let cycle = 0; cycle < 10; cycle += 1) await visit("disconnect");
  const early = await settled();
  for (let cycle = 10; cycle < cycles; cycle += 1) await visit(cycle % 3 === 0 ? "vanish" : "disconnect");
  await fetch(`${box.url}/disconnect`, { method: "POST" });
  const late = await settled();

  expect(late.threads).toBeLessThanOrEqual(early.threads);
  expect(late.fds).toBeLessThanOrEqual(early.fds);
  expect(late.sockets).toBeLessThanOrEqual(early.sockets);
  // The allocator keeps some of what it was given; one leaked session in twenty would exceed this.
  expect(late.rssBytes - early.rssBytes).toBeLessThan(40 * mebibyte);
});
