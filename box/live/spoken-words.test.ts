// Words spoken as they are given: told clause by clause, closed once, and stopped only by who means them.

import { afterEach, beforeEach, expect, test } from "vitest";
import { callerNamed, settled, TurnMachine } from "../testing/turn-machine.ts";

let machine: TurnMachine;
beforeEach(() => {
  machine = new TurnMachine();
});
afterEach(() => machine.close());

const talk = (content: string, correlationId: string | null = null) =>
  machine.turns.talk({ caller: callerNamed("ada"), content, correlationId });

/** The voice waits at clauses that contain `word` until it is let go. */
function pauseAt(word: string): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  machine.voice.pause = (text) => (text.includes(word) ? promise : Promise.resolve());
  return resolve;
}

/** Settings take until they are let go. */
function slowSettings(): () => void {
  const { promise, resolve } = Promise.withResolvers<void>();
  const settings = machine.portal.settings.bind(machine.portal);
  machine.portal.settings = async (account) => {
    await promise;
    return settings(account);
  };
  return resolve;
}

test("a clause is told as it is handed to the voice, and the whole once all of it is made", async () => {
  machine.media.held = true;
  await machine.connect();
  const go = pauseAt("Second");
  expect(await talk("First part. Second part. Third part.")).toEqual({ failure: null });
  await settled();
  expect(machine.types()).toEqual(["message_stream", "avatar_speech_started", "message_stream"]);
  go();
  await settled();
  expect(machine.types().slice(3)).toEqual(["message_stream", "message"]);
  expect(machine.events().flatMap((event) => (event.type === "message_stream" ? event.content : []))).toEqual(
    ["First part.", "Second part.", "Third part."],
  );
});

test("a voice that breaks at once is an error, to who asked and to who listens; nothing is kept", async () => {
  await machine.connect();
  machine.voice.stumblesOver = "First";
  const { failure } = await talk("First part. Second part.");
  expect([failure?.code, failure?.message]).toEqual(["voice_failed", "The voice broke."]);
  await settled();
  expect(machine.types()).toEqual(["message_stream", "error"]);
  expect(machine.events().at(-1)).toEqual({ type: "error", error: "The voice broke.", fatal: false });
  expect(machine.lines).toEqual([]);
  machine.voice.stumblesOver = null;
  expect(await talk("Again.")).toEqual({ failure: null });
});

test("a voice that breaks later is a warning before the closing message", async () => {
  await machine.connect();
  machine.voice.stumblesOver = "Second";
  expect(await talk("First part. Second part. Third part.")).toEqual({ failure: null });
  await settled();
  expect(machine.types().filter((type) => !type.startsWith("avatar_speech"))).toEqual([
    "message_stream",
    "message_stream",
    "warning",
    "message_stream",
    "message",
  ]);
  // The end of speech is told once, whatever of it came to be spoken.
  const streamed = machine.events().filter((event) => event.type === "message_stream");
  expect(streamed.map(({ content, endOfSpeech }) => [content, endOfSpeech])).toEqual([
    ["First part.", false],
    ["Second part.", false],
    ["", true],
  ]);
  expect(streamed.map(({ contentIndex }) => contentIndex)).toEqual([0, 1, 2]);
  expect(machine.lines).toMatchObject([{ role: "assistant", content: "First part." }]);
});

test("words have their place before they are voiced, and none when they are refused", async () => {
  await machine.connect();
  pauseAt("First");
  const placed: string[] = [];
  const request = { caller: callerNamed("ada"), content: "First part.", correlationId: null };
  const spoken = machine.turns.talk(request, { onPlaced: () => placed.push("first") });
  await settled();
  expect([placed, machine.slot.current?.director.speaking]).toEqual([["first"], true]);
  const blank = { ...request, content: " " };
  await expect(machine.turns.talk(blank, { onPlaced: () => placed.push("blank") })).rejects.toMatchObject({
    code: "invalid_body",
  });
  await machine.turns.interrupt("ada");
  await spoken;
  expect(placed).toEqual(["first"]);
});

test("one that is cut closes before the stop is acknowledged, and before a new message is accepted", async () => {
  machine.media.held = true;
  await machine.connect();
  pauseAt("Second");
  await talk("First part. Second part.");
  await machine.turns.interrupt("ada");
  expect(machine.types().slice(-3)).toEqual(["avatar_speech_ended", "message", "interrupted"]);
  const told = machine.types().length;
  await talk("First part. Second part.");
  await machine.say("Hi");
  await settled();
  const later = machine.types().slice(told);
  expect(later.indexOf("message")).toBeLessThan(later.indexOf("user_message"));
  expect(later.filter((type) => type === "message")).toHaveLength(2);
});

test("a stop from before it was asked for leaves it alone, made or not", async () => {
  machine.media.held = true;
  await machine.connect();
  await machine.say("Hi");
  machine.media.stage.finishSpeaking();
  await settled();
  const sight = machine.turns.look();
  await talk("This was begun later.");
  await machine.turns.interrupt("ada", { sight });
  expect(machine.media.stage.interrupts).toBe(0);
  expect(machine.slot.current?.director.speaking).toBe(true);

  const go = slowSettings();
  const earlier = machine.turns.look();
  const asked = talk("And this.", "later");
  await machine.turns.interrupt("ada", { sight: earlier });
  go();
  expect(await asked).toEqual({ failure: null });
});

test("a stop of what is heard leaves words alone that wait behind it and were asked for later", async () => {
  machine.media.held = true;
  const { playback } = await machine.connect();
  const { stage } = machine.media;
  // One after another, as the real one plays.
  const push = stage.pushAudio.bind(stage);
  let waiting = 0;
  stage.pushAudio = (utterance, pcm, rate) => {
    if (utterance > 1 && waiting++ < 1) return true;
    return push(utterance, pcm, rate);
  };
  await talk("This is heard now.", "now");
  await settled();
  const sight = machine.turns.look();
  await talk("This waits.", "later");
  await settled();
  await machine.turns.interrupt("ada", { sight });
  await settled();
  const speech = machine
    .events()
    .flatMap((event) =>
      event.type.startsWith("avatar_speech") && "correlationId" in event
        ? `${event.type} ${event.correlationId}`
        : [],
    );
  expect(speech).toEqual([
    "avatar_speech_started now",
    "avatar_speech_ended now",
    "avatar_speech_started later",
  ]);
  expect([stage.interrupts, playback.words]).toEqual([1, "This waits."]);
  expect(machine.voice.spoken).toHaveLength(2);
  stage.finishSpeaking();
  await settled();
  expect(machine.lines.map(({ content }) => content)).toEqual(["This waits."]);
  expect(playback.words).toBe("");
});

test("a stop from after it was asked for stops it, made or not", async () => {
  machine.media.held = true;
  await machine.connect();
  await talk("This was begun before.");
  await machine.turns.interrupt("ada", { sight: machine.turns.look() });
  expect(machine.slot.current?.director.speaking).toBe(false);
  for (const stop of [() => machine.turns.interrupt("ada"), () => machine.turns.reset("ada")]) {
    const go = slowSettings();
    const asked = talk("And this.");
    await stop();
    go();
    await expect(asked).rejects.toMatchObject({ code: "voice_failed" });
  }
  expect(machine.voice.spoken).toHaveLength(1);
});

test.each(["?!", "🙂 🙂", "…", " "])("%j has nothing to say and is refused", async (content) => {
  await machine.connect();
  await expect(talk(content)).rejects.toMatchObject({ code: "invalid_body" });
  expect([machine.types(), machine.turns.count]).toEqual([[], 0]);
});

test("halves of characters reach neither the voice nor the model nor the history", async () => {
  await machine.connect();
  await talk("Hello \ud83d there.");
  await machine.say("Hi \udc00.");
  expect(machine.voice.spoken[0]?.text).toBe("Hello \ufffd there.");
  expect(machine.model.requests[0]?.messages).toEqual([{ role: "user", content: "Hi \ufffd." }]);
  expect(machine.history()[0]).toBe("user: Hi \ufffd.");
});
