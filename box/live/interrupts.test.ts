// Barge-in at every moment of a turn, and callers who never meet.

import { afterEach, beforeEach, expect, test } from "vitest";
import { HeldReply, type Written } from "../testing/fake-model.ts";
import { callerNamed, settled, TurnMachine } from "../testing/turn-machine.ts";

let machine: TurnMachine;
beforeEach(() => {
  machine = new TurnMachine();
  machine.media.held = true;
});
afterEach(() => machine.close());

const lookUp: Written = { case: "tool_use", use: { id: "1", name: "look_up", arguments: {} } };
const never = () => new Promise<never>(() => undefined);

/** Each moment begins a turn and brings it there. */
const moments: [name: string, begin: () => Promise<unknown>, heard: string | null][] = [
  [
    "before the first piece",
    () => {
      machine.model.reply = () => new HeldReply().stream();
      return machine.say("Hi");
    },
    null,
  ],
  [
    "in the middle of a clause's speech",
    () => {
      machine.voice.pause = (text) => (text.startsWith("Second") ? never() : Promise.resolve());
      machine.model.reply = () => ["First part of it. Second part of it."];
      return machine.say("Hi");
    },
    "First part of it.",
  ],
  [
    "between two clauses",
    () => {
      const held = new HeldReply();
      held.write("First part of it. Second");
      machine.model.reply = () => held.stream();
      return machine.say("Hi");
    },
    "First part of it.",
  ],
  [
    "while a clause is screened",
    () => {
      machine.screen.pause = (text) => (text.startsWith("Second") ? never() : Promise.resolve());
      machine.model.reply = () => ["First part of it. Second part of it."];
      return machine.say("Hi");
    },
    "First part of it.",
  ],
  [
    "in the tail",
    async () => {
      machine.model.reply = () => ["First part of it."];
      await machine.say("Hi");
    },
    "First part of it.",
  ],
  [
    "during a tool",
    () => {
      machine.tools.answer = never;
      machine.model.reply = () => ["First part of it. ", lookUp];
      return machine.say("Hi");
    },
    "First part of it.",
  ],
  [
    "during a tool's phrase",
    () => {
      machine.tools.answer = never;
      machine.tools.phrases.set("look_up", "First part of it.");
      machine.model.reply = () => [lookUp];
      return machine.say("Hi");
    },
    "First part of it.",
  ],
];

const closings = () => machine.events().filter(({ type }) => type === "message" || type === "error").length;
const count = (type: string) => machine.types().filter((told) => told === type).length;

test.each(moments)("%s: silence, one closing event, and the next turn works", async (_, begin, heard) => {
  await machine.connect();
  machine.media.stage.playedShare = 1;
  const turn = begin();
  await settled();
  await machine.turns.interrupt("ada");
  const told = machine.types().length;
  await turn;
  await settled();
  // Nothing of the old turn comes after the stop is acknowledged.
  expect(machine.types().slice(told)).toEqual([]);
  expect(machine.types().at(-1)).toBe("interrupted");
  expect(closings()).toBe(1);
  expect(count("avatar_speech_ended")).toBe(count("avatar_speech_started"));
  expect(machine.history()).toEqual(heard === null ? ["user: Hi"] : ["user: Hi", `assistant: ${heard}`]);
  expect(machine.slot.current?.playback.words).toBe("");

  machine.voice.pause = machine.screen.pause = () => Promise.resolve();
  machine.model.reply = () => ["Next."];
  expect(await machine.say("And now?")).toMatchObject({ reply: "Next.", failure: null, interrupted: false });
  expect(closings()).toBe(2);
});

test.each(moments)("twice at once %s", async (_, begin) => {
  await machine.connect();
  const turn = begin();
  await settled();
  await Promise.all([machine.turns.interrupt("ada"), machine.turns.interrupt("ada")]);
  await turn;
  await settled();
  expect([closings(), count("interrupted")]).toEqual([1, 2]);
  expect(count("avatar_speech_ended")).toBe(count("avatar_speech_started"));
});

test.each(moments)("another message %s takes its place", async (_, begin) => {
  await machine.connect();
  const turn = begin();
  await settled();
  machine.voice.pause = machine.screen.pause = () => Promise.resolve();
  machine.model.reply = () => ["Next."];
  expect(await machine.say("Wait")).toMatchObject({ reply: "Next.", interrupted: false });
  await turn;
  await settled();
  expect(closings()).toBe(2);
  expect(count("avatar_speech_started") - count("avatar_speech_ended")).toBe(1);
  // The second request knew how the first reply ended.
  expect(machine.model.requests.at(-1)?.messages.at(-1)).toMatchObject({ role: "user" });
});

test.each(moments)("somebody else going live %s ends it, and hears nothing of it", async (_, begin) => {
  await machine.connect("ada");
  machine.media.stage.playedShare = 1;
  const turn = begin();
  await settled();
  const bobs = machine.told("bob");
  await machine.connect("bob");
  await turn;
  await settled();
  expect(closings()).toBe(1);
  expect(count("avatar_speech_ended")).toBe(count("avatar_speech_started"));
  expect(bobs.map((message) => message.case)).toEqual(["began"]);
  expect(machine.media.stage.pushedMs).toBe(0);
  machine.voice.pause = machine.screen.pause = () => Promise.resolve();
  machine.model.reply = () => ["For Bob."];
  expect((await machine.say("Hello", { account: "bob" })).reply).toBe("For Bob.");
  expect(machine.model.requests.at(-1)?.messages).toEqual([{ role: "user", content: "Hello" }]);
  expect(JSON.stringify(machine.told("ada"))).not.toContain("Bob");
});

test("turns that wait for the floor are stopped with the one that has it", async () => {
  await machine.connect();
  machine.model.reply = () => new HeldReply().stream();
  const prepared = await Promise.all(["One", "Two", "Three"].map((content) => machine.prepare(content)));
  const turns = prepared.map((message) => machine.turns.message(message));
  await machine.turns.interrupt("ada");
  const results = await Promise.all(turns);
  expect(results.every(({ interrupted }) => interrupted)).toBe(true);
  expect(closings()).toBe(3);
  expect(machine.history()).toEqual(["user: One\nTwo\nThree"]);
});

test("a stop while a typed message is still prepared stops it; one that is spoken goes on", async () => {
  await machine.connect();
  for (const source of ["typed", "spoken"] as const) {
    const screened = Promise.withResolvers<void>();
    machine.screen.pause = () => screened.promise;
    const request = { caller: callerNamed("ada"), source, content: "Hi", correlationId: null };
    const turn = machine.turns.prepare(request).then((prepared) => machine.turns.message(prepared));
    const earlier = machine.turns.look();
    await machine.turns.interrupt("ada");
    screened.resolve();
    machine.screen.pause = () => Promise.resolve();
    expect(await turn).toMatchObject(
      source === "typed" ? { reply: "", interrupted: true } : { interrupted: false, failure: null },
    );
    // A stop from before it was asked for leaves a message alone.
    const later = machine.prepare("And this?");
    await machine.turns.interrupt("ada", { sight: earlier });
    expect(await machine.turns.message(await later)).toMatchObject({ interrupted: false });
  }
});

test("of messages that come at once the last one is answered, each has its end, and they stay in order", async () => {
  await machine.connect();
  const prepared = await Promise.all(["One", "Two", "Three"].map((content) => machine.prepare(content)));
  const results = await Promise.all(prepared.map((message) => machine.turns.message(message)));
  expect(results.map(({ reply }) => reply)).toEqual(["", "", "Hello there. How are you?"]);
  const events = machine.events().filter(({ type }) => ["user_message", "message", "error"].includes(type));
  expect(events.map(({ type }) => type)).toEqual([
    "user_message",
    "error",
    "user_message",
    "error",
    "user_message",
    "message",
  ]);
});

test("a message for a session that has ended meanwhile is closed, not spoken", async () => {
  await machine.connect();
  const prepared = await machine.prepare("Hi");
  await machine.slot.end("disconnected");
  expect(await machine.turns.message(prepared)).toMatchObject({ reply: "", interrupted: true });
  expect(machine.types()).toEqual(["user_message", "error"]);
});

test("what one caller does touches no turn of the other", async () => {
  await machine.connect("ada");
  machine.told("bob");
  const held = new HeldReply();
  machine.model.reply = () => held.stream();
  held.write("First. Sec");
  const turn = machine.say("Hi");
  await settled();
  await machine.turns.interrupt("bob");
  await machine.turns.reset("bob");
  await expect(
    machine.turns.talk({ caller: callerNamed("bob"), content: "Mine.", correlationId: null }),
  ).rejects.toMatchObject({ code: "no_live_session" });
  held.write("ond.");
  held.end();
  expect(await turn).toMatchObject({ reply: "First. Second.", interrupted: false });
  expect(machine.media.stage.interrupts).toBe(0);
  expect(machine.types("bob")).toEqual(["interrupted"]);
});

test("a message that is still prepared when the conversation is reset belongs to the old one", async () => {
  await machine.connect();
  await machine.say("Old");
  for (const source of ["typed", "spoken"] as const) {
    const screened = Promise.withResolvers<void>();
    machine.screen.pause = (text) => (text === "Between" ? screened.promise : Promise.resolve());
    const request = { caller: callerNamed("ada"), source, content: "Between", correlationId: null };
    const turn = machine.turns.prepare(request).then((prepared) => machine.turns.message(prepared));
    await machine.turns.reset("ada");
    screened.resolve();
    expect(await turn).toMatchObject({ interrupted: source === "typed" });
    expect(machine.history()).toEqual([]);
  }
  await machine.say("New");
  expect(machine.model.requests.at(-1)?.messages).toEqual([{ role: "user", content: "New" }]);
});

test("a reply begun early and reset before it was wanted is made anew in the new conversation", async () => {
  await machine.connect();
  await machine.say("Old");
  const request = {
    caller: callerNamed("ada"),
    source: "spoken" as const,
    content: "Hi",
    correlationId: null,
  };
  const speculation = machine.turns.speculate(await machine.turns.prepare(request));
  await machine.turns.reset("ada");
  machine.model.reply = () => ["Anew."];
  expect(await speculation.commit()).toMatchObject({ reply: "Anew." });
  expect(machine.history()).toEqual(["user: Hi", "assistant: Anew."]);
});

test("a session that ends while its message is screened is what the caller is told of", async () => {
  const session = await machine.connect();
  // As a service that is asked does, the screen leaves nothing when it is called off.
  machine.screen.message = async () => {
    await new Promise<void>((resolve) => session.signal.addEventListener("abort", () => resolve()));
    return { text: "", reason: null };
  };
  const prepared = machine.prepare("Perfectly fine");
  const refused = expect(prepared).rejects.toMatchObject({
    code: "no_live_session",
    message: "The live session has ended.",
  });
  await settled();
  await machine.slot.end("disconnected");
  await refused;
});
