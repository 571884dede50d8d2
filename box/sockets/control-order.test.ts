// What a client says over one control socket takes effect in the order it was said, and no longer than the socket lives.

import { afterEach, beforeEach, expect, test } from "vitest";
import type { Portal } from "../portal/portal.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";

/** Of a machine that has other things to do. */
const patience = { timeout: 60_000, interval: 5 };

let box: TestBox;
beforeEach(async () => {
  box = await startTestBox();
});
afterEach(() => box.close());

/** Settings come when the test says so; each look-up that waits can be let go by its place in the row. */
function holdSettings(): { waiting: (() => void)[]; release(): void } {
  const { portal } = box.services;
  const settings: Portal["settings"] = portal.settings.bind(portal);
  const waiting: (() => void)[] = [];
  portal.settings = async (account) => {
    await new Promise<void>((resolve) => waiting.push(resolve));
    return settings(account);
  };
  return {
    waiting,
    release() {
      portal.settings = settings;
      for (const go of waiting.splice(0)) go();
    },
  };
}

test("talks are spoken in the order they were sent, however long the settings of each take", async () => {
  await box.connect();
  const socket = await box.socket();
  const { waiting } = holdSettings();
  for (const content of ["First.", "Second.", "Third."]) socket.send({ type: "talk", content });
  for (let count = 0; count < 3; count++) {
    await expect.poll(() => waiting.length, patience).toBeGreaterThan(0);
    // Whoever came last is let go first.
    waiting.pop()?.();
  }
  await expect.poll(() => socket.types().filter((type) => type === "message").length, patience).toBe(3);
  expect(box.voice.spoken.map(({ text }) => text)).toEqual(["First.", "Second.", "Third."]);
});

test("a message behind a talk stops it, and is not overtaken by it", async () => {
  await box.connect();
  const socket = await box.socket();
  box.media.stage.held = true;
  const { waiting } = holdSettings();
  socket.send({ type: "talk", content: "Old words.", correlationId: "t" });
  socket.send({ type: "message", content: "Something new.", correlationId: "m" });
  for (let count = 0; count < 2; count++) {
    await expect.poll(() => waiting.length, patience).toBeGreaterThan(0);
    waiting.pop()?.();
  }
  await expect
    .poll(
      () => socket.events.some((event) => event.type === "message" && event.correlationId === "m"),
      patience,
    )
    .toBe(true);
  const order = socket.events.flatMap((event) =>
    event.type === "message" || event.type === "user_message" ? [`${event.type} ${event.correlationId}`] : [],
  );
  expect(order).toEqual(["message t", "user_message m", "message m"]);
});

test("a voice that hangs holds up neither the next message nor an interrupt", async () => {
  await box.connect();
  const socket = await box.socket();
  box.voice.pause = () => new Promise(() => undefined);
  socket.send({ type: "talk", content: "Never heard." });
  await socket.next("message_stream");
  box.voice.pause = () => Promise.resolve();
  socket.send({ type: "message", content: "Hello?", correlationId: "m" });
  expect(await socket.next("user_message")).toMatchObject({ correlationId: "m" });
  socket.send({ type: "interrupt" });
  await socket.next("interrupted");
});

test("talks that wait when an interrupt comes are refused, each once, and are never spoken", async () => {
  await box.connect();
  const socket = await box.socket();
  const held = holdSettings();
  socket.send({ type: "talk", content: "First." });
  socket.send({ type: "talk", content: "Second." });
  await expect.poll(() => held.waiting.length, patience).toBe(1);
  socket.send({ type: "interrupt" });
  await socket.next("interrupted");
  held.release();
  socket.send({ type: "talk", content: "Third." });
  await socket.next("message");
  expect(box.voice.spoken.map(({ text }) => text)).toEqual(["Third."]);
  const errors = socket.events.filter((event) => event.type === "error");
  expect(errors).toHaveLength(2);
});

test("what still waits when the client closes its socket never begins", async () => {
  const socket = await box.socket();
  const held = holdSettings();
  socket.send({ type: "message", content: "One." });
  socket.send({ type: "message", content: "Two." });
  await expect.poll(() => held.waiting.length, patience).toBe(1);
  socket.close();
  await socket.closed;
  await expect.poll(() => box.services.sockets.size, patience).toBe(0);
  held.release();
  const other = await box.socket();
  other.send({ type: "message", content: "Three." });
  await other.next("message");
  expect(box.model.requests.map(({ messages }) => messages)).toEqual([[{ role: "user", content: "Three." }]]);
});
