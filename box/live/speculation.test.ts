// Replies begun before it is sure that they are wanted.

import { afterEach, beforeEach, expect, test } from "vitest";
import { HeldReply, type Written } from "../testing/fake-model.ts";
import { settled, TurnMachine } from "../testing/turn-machine.ts";

let machine: TurnMachine;
beforeEach(() => {
  machine = new TurnMachine();
});
afterEach(() => machine.close());

const lookUp: Written = { case: "tool_use", use: { id: "1", name: "look_up", arguments: {} } };

async function speculate(content = "Hello") {
  const speculation = machine.turns.speculate(await machine.prepare(content, { correlationId: content }));
  await settled();
  return speculation;
}

/** Everything that a turn leaves behind. */
function traces() {
  return {
    told: machine.events(),
    history: machine.history(),
    lines: machine.lines,
    count: machine.turns.count,
    turns: machine.slot.current?.turns ?? 0,
    pushedMs: machine.media.stages.reduce((sum, stage) => sum + stage.pushedMs, 0),
    speaking: machine.slot.current?.playback.words ?? "",
  };
}

const none = { told: [], history: [], lines: [], count: 0, turns: 0, pushedMs: 0, speaking: "" };

test("nothing is told, heard or kept until the commit; then everything comes in the usual order", async () => {
  machine.media.held = true;
  const session = await machine.connect();
  const speculation = await speculate();
  expect(machine.voice.spoken.map(({ text }) => text)).toEqual(["Hello there.", "How are you?"]);
  expect(traces()).toEqual(none);
  expect(session.director.speaking).toBe(false);
  const seen: string[] = [];
  const result = await speculation.commit({ onClause: ({ text }) => seen.push(text) });
  expect(result).toMatchObject({ reply: "Hello there. How are you?", interrupted: false, failure: null });
  machine.media.stage.finishSpeaking();
  await settled();
  expect(seen).toEqual(["Hello there.", "How are you?"]);
  expect(machine.model.requests).toHaveLength(1);
  const types = machine.types();
  expect(types.filter((type) => !type.startsWith("avatar_speech"))).toEqual([
    "user_message",
    "message_stream",
    "message_stream",
    "message",
  ]);
  expect(types.filter((type) => type.startsWith("avatar_speech"))).toEqual([
    "avatar_speech_started",
    "avatar_speech_ended",
  ]);
  expect(machine.history()).toEqual(["user: Hello", "assistant: Hello there. How are you?"]);
  expect(machine.lines.map(({ role }) => role)).toEqual(["user", "assistant"]);
  expect([machine.turns.count, session.turns]).toEqual([1, 1]);
  // The voice was there before the turn was.
  expect(machine.metrics).toMatchObject([{ correlationId: "Hello", llm_ms: 0, tts_ms: 0 }]);
});

test("a commit in the middle of the reply tells what there is, and goes on", async () => {
  await machine.connect();
  const held = new HeldReply();
  machine.model.reply = () => held.stream();
  held.write("One. Two. Th");
  const speculation = await speculate();
  expect(traces()).toEqual(none);
  const turn = speculation.commit();
  await settled();
  expect(machine.types().filter((type) => type === "message_stream")).toHaveLength(2);
  held.write("ree.");
  held.end();
  expect((await turn).reply).toBe("One. Two. Three.");
  const indices = machine.events().flatMap((event) => ("contentIndex" in event ? [event.contentIndex] : []));
  expect(indices).toEqual([0, 1, 2]);
});

test("one that is dropped leaves no trace, and stops the model and the voice", async () => {
  await machine.connect();
  const held = new HeldReply();
  machine.model.reply = () => held.stream();
  held.write("One. Two");
  const speculation = await speculate();
  speculation.drop();
  speculation.drop();
  held.write(". Three. Four");
  await settled();
  expect(traces()).toEqual(none);
  expect(machine.voice.spoken).toHaveLength(1);
  expect(machine.model.requests[0]?.signal.aborted).toBe(true);
  machine.model.reply = () => ["Next."];
  expect((await machine.say("Something else")).reply).toBe("Next.");
  expect(machine.model.requests.at(-1)?.messages).toEqual([{ role: "user", content: "Something else" }]);
});

test("tools wait for the commit", async () => {
  await machine.connect();
  let asked = 0;
  machine.model.reply = () => (asked++ === 0 ? ["Hold on. ", lookUp] : ["Found."]);
  const speculation = await speculate();
  expect([machine.tools.ran.length, machine.model.requests.length]).toEqual([0, 1]);
  const result = await speculation.commit();
  expect(machine.tools.ran).toHaveLength(1);
  expect(result).toMatchObject({ reply: "Hold on. Found.", tools: ["Label of look_up"] });
});

test("tools of one that is dropped never run", async () => {
  await machine.connect();
  machine.model.reply = () => [lookUp];
  (await speculate()).drop();
  await settled();
  expect(machine.tools.ran).toEqual([]);
  expect(machine.model.requests).toHaveLength(1);
});

test("not more than some seconds of speech are made ahead, and the rest once it is wanted", async () => {
  await machine.connect();
  const sentence = "This is a sentence of quite some length, which takes a while to say aloud. ";
  machine.model.reply = () => [sentence.repeat(40)];
  const speculation = await speculate();
  expect(machine.voice.spoken.length).toBeGreaterThan(5);
  expect(machine.voice.spoken.length).toBeLessThan(30);
  const turn = speculation.commit();
  await settled();
  expect(machine.voice.spoken.length).toBeGreaterThan(30);
  expect(machine.media.stage.pushedMs).toBeGreaterThan(20_000);
  await machine.turns.interrupt("ada");
  await turn;
});

test.each([
  ["an interrupt", () => machine.turns.interrupt("ada")],
  ["a reset", () => machine.turns.reset("ada").then(() => undefined)],
  ["another message", () => machine.say("Other").then(() => undefined)],
  ["another speculation", async () => (await speculate("Another")).drop()],
  ["the end of the session", () => machine.slot.end("disconnected")],
  ["somebody else's session", () => machine.connect("bob").then(() => undefined)],
])("%s drops it", async (_, happens) => {
  await machine.connect();
  const held = new HeldReply();
  machine.model.reply = (request) => {
    const last = request.messages.at(-1);
    return last?.role === "user" && last.content === "Hello" ? held.stream() : ["Yes."];
  };
  held.write("Secret words. And");
  await speculate();
  await happens();
  await settled();
  expect(machine.model.requests[0]?.signal.aborted).toBe(true);
  expect(JSON.stringify(machine.events())).not.toContain("Secret");
  expect(JSON.stringify(machine.history())).not.toMatch(/Secret|Hello/);
});

test("the commit of one that was dropped meanwhile is a turn of its own", async () => {
  await machine.connect();
  const speculation = await speculate();
  await machine.turns.interrupt("ada");
  machine.model.reply = () => ["Made anew."];
  expect((await speculation.commit()).reply).toBe("Made anew.");
  expect(machine.model.requests).toHaveLength(2);
});

test("one that failed early is made anew, and its failure is nobody's", async () => {
  await machine.connect();
  const held = new HeldReply();
  held.fail("The model failed.");
  machine.model.reply = () => held.stream();
  const speculation = await speculate();
  machine.model.reply = () => ["Better."];
  expect(await speculation.commit()).toMatchObject({ reply: "Better.", failure: null });
  machine.voice.stumblesOver = "Better";
  const broken = await speculate("Once more");
  machine.voice.stumblesOver = null;
  expect(await broken.commit()).toMatchObject({ reply: "Better.", failure: null });
  expect(machine.types()).not.toContain("error");
});

test("one that does not know what was said since is made anew", async () => {
  machine.media.held = true;
  await machine.connect();
  machine.media.stage.playedShare = 1;
  const held = new HeldReply();
  machine.model.reply = () => held.stream();
  held.write("An earlier reply. And");
  const earlier = machine.say("Earlier");
  await settled();
  machine.model.reply = () => ["Without a clue."];
  const running = await speculate("While it runs");
  machine.model.reply = () => ["Knowing all."];
  expect((await running.commit()).reply).toBe("Knowing all.");
  await earlier;
  expect(machine.model.requests.at(-1)?.messages).toHaveLength(3);

  const outdated = await speculate("Before it ended");
  machine.conversations.of("ada").append("assistant", "Something else.");
  await outdated.commit();
  expect(machine.model.requests.at(-1)?.messages.map(({ role }) => role)).toEqual([
    "user",
    "assistant",
    "user",
    "assistant",
    "user",
  ]);
  expect(machine.model.requests).toHaveLength(5);
});

test("the commit takes the floor and silences what is said", async () => {
  machine.media.held = true;
  await machine.connect();
  await machine.say("First");
  await settled();
  const speculation = await speculate("Second");
  expect(machine.media.stage.interrupts).toBe(0);
  const result = await speculation.commit();
  expect(result).toMatchObject({ interrupted: false, failure: null });
  expect(machine.media.stage.interrupts).toBe(1);
  await settled();
  expect(machine.types().filter((type) => type.startsWith("avatar_speech"))).toEqual([
    "avatar_speech_started",
    "avatar_speech_ended",
    "avatar_speech_started",
  ]);
});

test("an interrupt between the commit and the floor leaves an accepted turn with one closing event", async () => {
  await machine.connect();
  const speculation = await speculate();
  const turn = speculation.commit();
  expect(speculation.commit()).toBe(turn);
  await Promise.all([machine.turns.interrupt("ada"), turn]);
  expect((await turn).interrupted).toBe(true);
  expect(machine.types()).toEqual(["user_message", "error", "interrupted"]);
  expect(machine.media.stage.pushedMs).toBe(0);
  expect(machine.history()).toEqual(["user: Hello"]);
});

test("a hundred dropped ones leave no listener on the session", async () => {
  const session = await machine.connect();
  let listeners = 0;
  const { signal } = session;
  const [add, remove] = [signal.addEventListener.bind(signal), signal.removeEventListener.bind(signal)];
  signal.addEventListener = (...args: Parameters<typeof add>) => (listeners++, add(...args));
  signal.removeEventListener = (...args: Parameters<typeof remove>) => (listeners--, remove(...args));
  for (let round = 0; round < 100; round++) (await speculate(`Words ${round}`)).drop();
  await (await speculate("Wanted")).commit();
  expect(listeners).toBe(0);
});
