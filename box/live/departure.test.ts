// Who stays on after the persona has said goodbye.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { HeldReply, type Written } from "../testing/fake-model.ts";
import { callerNamed, settled, TurnMachine } from "../testing/turn-machine.ts";

let machine: TurnMachine;
beforeEach(() => {
  machine = new TurnMachine();
  machine.media.held = true;
});
afterEach(async () => {
  vi.useRealTimers();
  await machine.close();
});

const endCall: Written = { case: "tool_use", use: { id: "end", name: "end_call", arguments: {} } };

async function sayGoodbye(): Promise<void> {
  machine.model.reply = () => ["Goodbye then. ", endCall];
  await machine.say("Bye");
  machine.model.reply = () => ["Sure, I stay."];
}

const message = async (source: "typed" | "posted" | "spoken") =>
  machine.turns.message(
    await machine.turns.prepare({ caller: callerNamed("ada"), source, content: "Wait", correlationId: null }),
  );

test.each(["typed", "posted", "spoken"] as const)(
  "a %s message over the goodbye keeps the call",
  async (how) => {
    const session = await machine.connect();
    await sayGoodbye();
    if (how === "spoken") {
      await machine.turns.interrupt("ada", { by: "speaker" });
      await settled();
    }
    expect(await message(how)).toMatchObject({ reply: "Sure, I stay.", interrupted: false });
    await settled();
    machine.media.stage.finishSpeaking();
    await settled();
    expect([machine.ends, session.signal.aborted]).toEqual([[], false]);
    expect(machine.told().some(({ case: kind }) => kind === "farewell")).toBe(false);
    // The next goodbye is one again.
    await sayGoodbye();
    machine.media.stage.finishSpeaking();
    await settled();
    expect(machine.ends).toEqual(["persona"]);
  },
);

test("a message while the goodbye is still being made keeps the call as well", async () => {
  await machine.connect();
  machine.voice.pause = (text) =>
    text.startsWith("Goodbye") ? new Promise(() => undefined) : Promise.resolve();
  machine.model.reply = () => ["Goodbye then. ", endCall];
  const goodbye = machine.say("Bye");
  await settled();
  machine.model.reply = () => ["Sure, I stay."];
  expect(await message("typed")).toMatchObject({ reply: "Sure, I stay." });
  expect(await goodbye).toMatchObject({ interrupted: true, actions: [{ name: "end_call" }] });
  await settled();
  expect(machine.ends).toEqual([]);
});

test("a goodbye that is told to stop ends the call, also after somebody spoke over it", async () => {
  for (const cuts of [["command"], ["speaker", "command"]] as const) {
    await machine.connect();
    await sayGoodbye();
    for (const by of cuts) await machine.turns.interrupt("ada", { by });
    await settled();
    expect(machine.ends.splice(0)).toEqual(["persona"]);
  }
});

test("somebody who speaks over the goodbye and says nothing keeps the call for a while only", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  const session = await machine.connect();
  await sayGoodbye();
  await machine.turns.interrupt("ada", { by: "speaker" });
  await settled();
  expect(session.signal.aborted).toBe(false);
  await vi.advanceTimersByTimeAsync(20_000);
  await settled();
  expect(machine.ends).toEqual(["persona"]);
});

test("a session that ends meanwhile is no farewell, and leaves no timer", async () => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  await machine.connect();
  await sayGoodbye();
  await machine.turns.interrupt("ada", { by: "speaker" });
  await settled();
  await machine.slot.end("disconnected");
  await settled();
  expect(machine.ends).toEqual(["disconnected"]);
  expect(machine.told().some(({ case: kind }) => kind === "farewell")).toBe(false);
  expect(vi.getTimerCount()).toBe(0);
});

test("an interrupt of a turn that is no goodbye leaves the next goodbye alone", async () => {
  await machine.connect();
  machine.model.reply = () => new HeldReply().stream();
  const cut = machine.say("Hi");
  await settled();
  await machine.turns.interrupt("ada", { by: "speaker" });
  await cut;
  await sayGoodbye();
  machine.media.stage.finishSpeaking();
  await settled();
  expect(machine.ends).toEqual(["persona"]);
});
