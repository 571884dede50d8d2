import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Tone } from "../../contract/tones.ts";
import { FakeStage } from "../testing/fake-media.ts";
import { afterglowMs, Expression } from "./expression.ts";

let loops: Map<Tone, string>;
let failed: Tone[];
let stage: FakeStage;
let expression: Expression;

beforeEach(() => {
  vi.useFakeTimers();
  loops = new Map<Tone, string>([
    ["neutral", "/faces/neutral"],
    ["happy", "/faces/happy"],
    ["sad", "/faces/sad"],
  ]);
  failed = [];
  stage = new FakeStage({
    avatarDir: "/faces/neutral",
    onPackets: () => undefined,
    onEvent: () => undefined,
  });
  expression = new Expression({ stage, loops: () => loops, onFailed: (tone) => failed.push(tone) });
});

afterEach(() => {
  expression.close();
  vi.useRealTimers();
});

test("every loop but the base one is loaded, once, and again when it has changed", async () => {
  const added: [string, string][] = [];
  const addTone = stage.addTone.bind(stage);
  stage.addTone = (tone, dir) => {
    added.push([tone, dir]);
    return addTone(tone, dir);
  };
  await expression.dress();
  await expression.dress();
  expect(added).toEqual([
    ["happy", "/faces/happy"],
    ["sad", "/faces/sad"],
  ]);
  loops.set("sad", "/faces/sad-2").set("warm", "/faces/warm");
  await Promise.all([expression.dress(), expression.dress()]);
  expect(added.slice(2)).toEqual([
    ["sad", "/faces/sad-2"],
    ["warm", "/faces/warm"],
  ]);
});

test("the face wears what is heard, keeps it for a moment, and rests", async () => {
  await expression.dress();
  expression.wear("happy");
  expression.wear("happy");
  expression.wear("sad");
  expression.rest();
  vi.advanceTimersByTime(afterglowMs - 1);
  expect(stage.shown).toEqual(["happy", "sad"]);
  vi.advanceTimersByTime(1);
  expect(stage.shown).toEqual(["happy", "sad", "neutral"]);
  vi.advanceTimersByTime(afterglowMs);
  expect(stage.shown).toHaveLength(3);
});

test("what is said meanwhile keeps it from resting", async () => {
  await expression.dress();
  expression.wear("happy");
  expression.rest();
  vi.advanceTimersByTime(afterglowMs - 1);
  expression.wear("sad");
  vi.advanceTimersByTime(10 * afterglowMs);
  expect(stage.shown).toEqual(["happy", "sad"]);
});

test("a tone without a loop shows the base one, until its loop is there", async () => {
  await expression.dress();
  expression.wear("happy");
  expression.wear("curious");
  expect(stage.shown).toEqual(["happy", "neutral"]);
  loops.set("curious", "/faces/curious");
  await expression.dress();
  expect(stage.shown).toEqual(["happy", "neutral", "curious"]);
});

test("a loop that does not load is told once, and the others are loaded", async () => {
  const addTone = stage.addTone.bind(stage);
  stage.addTone = (tone, dir) =>
    tone === "happy" ? Promise.reject(new Error("damaged")) : addTone(tone, dir);
  await expression.dress();
  await expression.dress();
  expect(failed).toEqual(["happy"]);
  expression.wear("sad");
  expect(stage.shown).toEqual(["sad"]);
});

test("once closed it does nothing, and a load that its end breaks off is no failure", async () => {
  stage.addTone = () => {
    expression.close();
    return Promise.reject(new Error("the stage is closed"));
  };
  await expression.dress();
  expect(failed).toEqual([]);
  expression.wear("sad");
  expression.rest();
  vi.advanceTimersByTime(afterglowMs);
  expect(stage.shown).toEqual([]);
});
