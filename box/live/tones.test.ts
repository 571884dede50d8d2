// The face wears the tone of what is heard.

import { afterEach, beforeEach, expect, test } from "vitest";
import type { Clip } from "../../contract/clips.ts";
import type { Tone } from "../../contract/tones.ts";
import { settled, TurnMachine } from "../testing/turn-machine.ts";

let machine: TurnMachine;
beforeEach(() => {
  machine = new TurnMachine();
});
afterEach(() => machine.close());

/** The active avatar gets the loop of a tone. */
function make(tone: Tone): void {
  const avatar = machine.faces.active();
  const [base] = avatar?.clips ?? [];
  if (!avatar || !base) throw new Error("There is no avatar.");
  const clip: Clip = { ...base, tone };
  avatar.clips.push(clip);
  machine.loops.moved(avatar.id);
}

test("clause by clause, where each begins to be heard", async () => {
  make("happy");
  make("sad");
  await machine.connect();
  machine.model.reply = () => ["[happy] That is great. Really. [sad] But it is over."];
  await machine.say("Hi");
  await settled();
  expect(machine.media.stage.shown).toEqual(["happy", "sad"]);
});

test("a loop that is made meanwhile is worn at once", async () => {
  await machine.connect();
  machine.media.stage.held = true;
  machine.model.reply = () => ["[happy] That is great."];
  const said = machine.say("Hi");
  await expect.poll(() => machine.events().some(({ type }) => type === "avatar_speech_started")).toBe(true);
  expect(machine.media.stage.shown).toEqual([]);
  make("happy");
  await expect.poll(() => machine.media.stage.shown).toEqual(["happy"]);
  machine.media.stage.finishSpeaking();
  await said;
});

test("another avatar's loops, and those that come after the end, are not loaded", async () => {
  const session = await machine.connect();
  const { stage } = machine.media;
  await settled();
  const theo = machine.faces.entries.find(({ id }) => id === "theo");
  const [base] = theo?.clips ?? [];
  if (!theo || !base) throw new Error("There is no other avatar.");
  theo.clips.push({ ...base, tone: "sad" });
  machine.loops.moved("theo");
  await settled();
  expect([...stage.tones.keys()]).toEqual(["neutral"]);
  await session.end("disconnected");
  make("happy");
  await settled();
  expect([...stage.tones.keys()]).toEqual(["neutral"]);
});

test("who wants no emotions sees none", async () => {
  make("happy");
  await machine.portal.saveSettings("ada", { emotion_responsive: false });
  await machine.connect();
  machine.model.reply = () => ["[happy] That is great."];
  await machine.say("Hi");
  await settled();
  expect(machine.media.stage.shown).toEqual([]);
});

test("speech that is made before it has its place keeps its tones", async () => {
  make("happy");
  make("sad");
  await machine.connect();
  machine.model.reply = () => ["[happy] That is great. [sad] But it is over."];
  const early = machine.turns.speculate(await machine.prepare("Hi"));
  await expect.poll(() => machine.voice.spoken.length).toBe(2);
  expect(machine.media.stage.shown).toEqual([]);
  await early.commit();
  await settled();
  expect(machine.media.stage.shown).toEqual(["happy", "sad"]);
});
