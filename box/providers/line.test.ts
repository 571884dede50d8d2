import { afterEach, beforeEach, expect, test } from "vitest";
import { FakeDeepgram } from "../testing/fake-deepgram.ts";
import { Line, type LineOptions } from "./line.ts";

let fake: FakeDeepgram;
let lost: string[];
beforeEach(async () => {
  lost = [];
  fake = await FakeDeepgram.start();
});
afterEach(() => fake.close());

const open = (options: Partial<LineOptions> = {}) =>
  Line.open({
    url: new URL(fake.url),
    headers: {},
    signal: new AbortController().signal,
    queueBytes: 64 * 1024,
    onText: () => undefined,
    onLost: (why) => lost.push(why),
    ...options,
  });

test("a service that stops reading loses the line, not the box its memory", async () => {
  const line = await open();
  (await fake.line()).socket.pause();
  // The kernel's buffers take some of it first.
  for (let sent = 0; sent < 4_096 && lost.length === 0; sent++) {
    line.send(new Uint8Array(16 * 1024));
    if (sent % 64 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  await expect.poll(() => lost).toEqual([expect.stringContaining("could not keep up")]);
  line.send("nothing happens");
  await line.close();
});

test("a service that answers no ping has fallen silent", async () => {
  const line = await open({ pingEveryMs: 20 });
  (await fake.line()).socket.pause();
  await expect.poll(() => lost).toEqual([expect.stringContaining("fell silent")]);
  await line.close();
});

test("a service that answers pings keeps its line; closing one tells nothing", async () => {
  const line = await open({ pingEveryMs: 20 });
  const { socket } = await fake.line();
  let pings = 0;
  socket.on("ping", () => pings++);
  await expect.poll(() => pings).toBeGreaterThan(3);
  await line.close();
  await line.close();
  expect(lost).toEqual([]);
});

test("an opening that is not wanted any more ends", async () => {
  fake.hang = true;
  const leaving = new AbortController();
  const opening = open({ signal: leaving.signal });
  const refused = expect(opening).rejects.toThrow("could not be reached");
  await expect.poll(() => fake.upgrades).toBe(1);
  leaving.abort();
  await refused;
  await expect(open({ signal: leaving.signal })).rejects.toThrow("could not be reached");
  expect(fake.upgrades).toBe(1);
});
