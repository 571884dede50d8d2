// The rehearsal persona on a call, with everything around it that a real model has.

import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestBox, type TestBox } from "../../testing/test-box.ts";
import { toolLines } from "./rehearsal-tools.ts";
import { RehearsalModel } from "./rehearsal.ts";

let box: TestBox;
beforeEach(async () => {
  box = await startTestBox();
  const rehearsal = new RehearsalModel({ pieceMs: 0 });
  box.model.reply = (request) => rehearsal.stream(request);
});
afterEach(() => box.close());

async function say(message: string): Promise<{ reply: string; tools: string[] }> {
  box.voice.spoken.length = 0;
  const answer = await box.ask("/api/chat", { body: { message } });
  expect(answer.status).toBe(200);
  return (await answer.json()) as { reply: string; tools: string[] };
}

const voices = () => new Set(box.voice.spoken.map(({ voice }) => voice));
const untagged = (line: string) => line.replace(/\[\w+\]\s*/g, "");

test("it turns to another language, with the same character's voice in it, and stays there", async () => {
  await box.connect();
  expect((await say("Hello")).tools).toEqual([]);
  expect(voices()).toEqual(new Set(["en-us+f3"]));
  expect(await say("Please speak Spanish")).toMatchObject({ reply: untagged(toolLines.es.switched) });
  expect(voices()).toEqual(new Set(["es+f3"]));
  expect((await say("¿Cómo te llamas?")).reply).toMatch(/personaje de ensayo/);
  expect(voices()).toEqual(new Set(["es+f3"]));
  expect(box.model.requests.at(-1)?.system).toContain("The language of this call is Spanish.");
});

test("it keeps quiet when it is asked to, and answers what is said next", async () => {
  await box.connect();
  expect((await say("Don't answer this")).reply).toBe("");
  expect(box.voice.spoken).toEqual([]);
  expect((await say("Hold on")).reply).toBe(untagged(toolLines.en.waiting));
});

test("a goodbye is answered, and ends the call", async () => {
  await box.connect();
  const socket = await box.socket();
  expect((await say("Goodbye then")).reply).toMatch(/Goodbye/);
  await socket.next("session_end");
});
