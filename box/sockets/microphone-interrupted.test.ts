// What becomes of a turn that somebody speaks into, or seems to.

import { afterEach, beforeEach, expect, test } from "vitest";
import { HeldReply } from "../testing/fake-model.ts";
import type { MicrophoneClient } from "../testing/microphone-client.ts";
import { checkEvents } from "../testing/microphone-rules.ts";
import { startTestBox, type TestBox } from "../testing/test-box.ts";

let box: TestBox;
let microphone: MicrophoneClient;

beforeEach(async () => {
  box = await startTestBox();
  box.media.held = true;
  await box.connect();
  microphone = await box.microphone();
  await microphone.next("ready");
});

afterEach(async () => {
  expect(microphone.nonsense).toEqual([]);
  checkEvents(microphone.events, false);
  await box.close();
});

const lastAsked = () => box.model.requests.at(-1)?.messages;

test("words of a turn that was not even under way stay out of one that comes after a typed turn", async () => {
  const control = await box.socket();
  const { listener } = box.ears;
  const { portal } = box.services;
  const settings = portal.settings.bind(portal);
  const asking = Promise.withResolvers<void>();
  portal.settings = async (account) => {
    await asking.promise;
    return settings(account);
  };
  listener.turn("Turn off the lights.");
  listener.tell({ case: "speech_started", atMs: performance.now() });
  listener.tell({ case: "partial", text: "er" });
  listener.tell({ case: "nothing" });
  asking.resolve();
  portal.settings = settings;
  control.send({ type: "message", content: "Never mind." });
  await control.next("message");
  listener.turn("What time is it?");
  expect(await microphone.next("reply")).toMatchObject({ reply: "Hello there. How are you?" });
  expect(microphone.events.filter((event) => event.type === "final" && event.continues)).toEqual([]);
  expect(lastAsked()?.at(-1)).toEqual({ role: "user", content: expect.stringMatching(/What time is it\?$/) });
  expect(JSON.stringify(lastAsked())).not.toContain("lights");
});

test("a cough while the avatar thinks leaves the question its answer; words take the floor", async () => {
  const [first, second] = [new HeldReply(), new HeldReply()];
  const replies = [first, second];
  box.model.reply = () => replies.shift()?.stream() ?? ["Sure."];
  const { listener } = box.ears;
  listener.turn("What time is it?");
  await expect.poll(() => box.model.requests.length).toBe(1);
  listener.tell({ case: "speech_started", atMs: performance.now() - 5_000 });
  first.write("Noon.");
  first.end();
  expect(await microphone.next("reply")).toMatchObject({ reply: "Noon." });
  box.media.stage.finishSpeaking();
  listener.turn("And the day?");
  await expect.poll(() => box.model.requests.length).toBe(2);
  listener.tell({ case: "speech_started", atMs: performance.now() });
  listener.tell({ case: "partial", text: "of the" });
  await expect.poll(() => box.model.requests[1]?.signal.aborted).toBe(true);
  listener.tell({ case: "turn", text: "of the month?", speechEndedAtMs: performance.now() });
  expect(await microphone.next("reply")).toMatchObject({ reply: "Sure." });
  expect(microphone.types().filter((type) => type === "reply_error")).toHaveLength(1);
});
