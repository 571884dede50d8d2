// The turn machine: tools, moderation and what a turn leaves behind.

import { afterEach, beforeEach, expect, test, vi } from "vitest";
import type { Written } from "../testing/fake-model.ts";
import { HeldReply } from "../testing/fake-model.ts";
import { callerNamed, settled, TurnMachine } from "../testing/turn-machine.ts";

let machine: TurnMachine;
beforeEach(() => {
  machine = new TurnMachine();
});
afterEach(() => machine.close());

const use = (name: string, input: Record<string, unknown> = {}, id = name): Written => ({
  case: "tool_use",
  use: { id, name, arguments: input },
});

/** Each request gets the next reply; past the last one, the last again. */
function script(...replies: Written[][]): void {
  let next = 0;
  machine.model.reply = () => replies[Math.min(next++, replies.length - 1)] ?? [];
}

const clauses = () =>
  machine
    .events()
    .filter((event) => event.type === "message_stream")
    .map(({ content, contentIndex, endOfSpeech }) => [contentIndex, content, endOfSpeech]);

test("a tool runs after the words before it, and the model answers with what it brought", async () => {
  await machine.connect();
  const carry = { thinking: "signed" };
  script(
    ["[warm] One moment. ", use("look_up", { of: "weather" }), { case: "carry", carry }],
    ["[happy] It is sunny."],
  );
  const seen: string[] = [];
  machine.tools.answer = async () => {
    seen.push(`spoken before: ${machine.voice.spoken.length}`);
    return "sunny";
  };
  const result = await machine.say("How is the weather?", {
    observer: {
      onClause: ({ text }) => seen.push(text),
      onTool: ({ name, label }) => seen.push(`${name}/${label}`),
    },
  });
  expect(seen).toEqual(["One moment.", "look_up/Label of look_up", "spoken before: 1", "It is sunny."]);
  expect(result).toEqual({
    reply: "One moment. It is sunny.",
    tone: "warm",
    tools: ["Label of look_up"],
    actions: [],
    interrupted: false,
    failure: null,
  });
  expect(machine.tools.ran[0]?.context).toMatchObject({
    account: "ada",
    sessionId: machine.slot.current?.id,
    language: "en",
  });
  expect(machine.model.requests[1]?.messages.slice(1)).toEqual([
    {
      role: "assistant",
      content: "[warm] One moment. ",
      toolUses: [{ id: "look_up", name: "look_up", arguments: { of: "weather" } }],
      carry,
    },
    { role: "tool", results: [{ id: "look_up", content: "sunny", isError: false }] },
  ]);
  expect(machine.model.requests[0]?.tools.map(({ name }) => name)).toContain("look_up");
  expect(clauses()).toEqual([
    [0, "One moment.", false],
    [1, "It is sunny.", true],
  ]);
  await machine.say("And tomorrow?");
  expect(machine.model.requests.at(-1)?.messages).toEqual([
    { role: "user", content: "How is the weather?" },
    { role: "assistant", content: "One moment. It is sunny." },
    { role: "user", content: "And tomorrow?" },
  ]);
});

test("several tools of one reply run at the same time, and answer in their order", async () => {
  script([use("look_up", {}, "a"), use("look_up", {}, "b")], ["Both."]);
  const first = Promise.withResolvers<string>();
  machine.tools.answer = ({ id }) => {
    if (id === "a") return first.promise;
    first.resolve("slow");
    return Promise.resolve("fast");
  };
  expect((await machine.say("Compare.")).reply).toBe("Both.");
  expect(machine.model.requests[1]?.messages.at(-1)).toMatchObject({
    results: [
      { id: "a", content: "slow" },
      { id: "b", content: "fast" },
    ],
  });
});

test("the tool's phrase is said while it runs, unless the model has said something itself", async () => {
  await machine.connect();
  machine.tools.phrases.set("look_up", "Let me see.");
  const shown: unknown[] = [];
  machine.tools.answer = async () => {
    await settled();
    shown.push(...clauses());
    return "found";
  };
  script([use("look_up")], ["Hold on. ", use("look_up")], ["Here."]);
  const { reply, tools } = await machine.say("Find it.");
  expect(reply).toBe("Let me see. Hold on. Here.");
  expect(tools).toEqual(["Label of look_up"]);
  expect(shown[0]).toEqual([0, "Let me see.", false]);
  expect(machine.history()).toEqual(["user: Find it.", "assistant: Let me see. Hold on. Here."]);
});

test("a model that never stops calling tools is told to, and then stopped", async () => {
  script([use("look_up")]);
  const { reply, failure } = await machine.say("Go round.");
  expect(machine.tools.ran).toHaveLength(8);
  expect(machine.model.requests).toHaveLength(10);
  expect(machine.model.requests[9]?.messages.at(-1)).toMatchObject({ results: [{ isError: true }] });
  expect([reply, failure?.code]).toEqual(["", "model_failed"]);
  expect(machine.types().slice(-1)).toEqual([]);
});

test("a tool that breaks is an outcome like any other", async () => {
  script([use("look_up"), use("nonsense")], ["It did not work."]);
  machine.tools.answer = () => Promise.reject(new Error("a secret"));
  expect((await machine.say("Try.")).reply).toBe("It did not work.");
  const results = machine.model.requests[1]?.messages.at(-1);
  expect(results).toMatchObject({ results: [{ isError: true }, { isError: true }] });
  expect(JSON.stringify(results)).not.toContain("secret");
});

test("the call ends once its goodbye was heard", async () => {
  machine.media.held = true;
  const session = await machine.connect();
  script(["It was nice. ", use("end_call")]);
  const told: string[] = [];
  const { actions } = await machine.say("Bye", { observer: { onAction: ({ name }) => told.push(name) } });
  await settled();
  expect(told).toEqual(["end_call"]);
  expect(actions).toMatchObject([{ name: "end_call" }]);
  expect(clauses()).toEqual([[0, "It was nice.", true]]);
  expect(machine.types().at(-1)).toBe("message");
  expect(session.signal.aborted).toBe(false);
  machine.media.stage.finishSpeaking();
  await settled();
  expect(machine.ends).toEqual(["persona"]);
  expect(machine.told().map((message) => message.case)).toEqual(
    expect.arrayContaining(["farewell", "ended"]),
  );
  expect(machine.told().findIndex(({ case: kind }) => kind === "farewell")).toBeLessThan(
    machine.told().findIndex(({ case: kind }) => kind === "ended"),
  );
  expect(machine.model.requests).toHaveLength(1);
});

test.each([
  ["the tool's phrase", "So long!", "So long!"],
  ["a goodbye of our own", null, "Auf Wiederhören!"],
])("a call ended without a word has %s", async (_, phrase, expected) => {
  const session = await machine.connect();
  session.call.setLanguage("de");
  if (phrase) machine.tools.phrases.set("end_call", phrase);
  script([use("end_call")]);
  expect((await machine.say("Bye")).reply).toBe(expected);
  await settled();
  expect(machine.ends).toEqual(["persona"]);
});

test("a goodbye that is cut off ends the call all the same, and only once", async () => {
  machine.media.held = true;
  await machine.connect();
  script(["Goodbye then. ", use("end_call")]);
  await machine.say("Bye");
  await machine.turns.interrupt("ada");
  await settled();
  expect(machine.ends).toEqual(["persona"]);
});

test("a call that somebody else took over is not ended by a goodbye of the one before", async () => {
  machine.media.held = true;
  await machine.connect();
  script(["Goodbye then. ", use("end_call")]);
  await machine.say("Bye");
  await machine.connect("bob");
  await settled();
  expect(machine.ends).toEqual(["replaced"]);
  expect(machine.slot.of("bob")).not.toBeNull();
  expect(machine.told("ada").some((message) => message.case === "farewell")).toBe(false);
});

test("a skipped turn has no words, is no failure and leaves the user's message alone", async () => {
  await machine.connect();
  machine.tools.phrases.set("skip_turn", "Never said.");
  script([use("skip_turn")]);
  const result = await machine.say("Talking to somebody else");
  expect(result).toMatchObject({ reply: "", failure: null, actions: [{ name: "skip_turn" }] });
  expect(machine.history()).toEqual(["user: Talking to somebody else"]);
  expect(machine.voice.spoken).toEqual([]);
  expect(machine.events().at(-1)).toMatchObject({ type: "message", content: "" });
  expect(machine.types()).toEqual(["user_message", "message"]);
});

test("a pause and another language are the call's, and the model's next words know them", async () => {
  const session = await machine.connect();
  script([use("set_language", { language: "fr" })], ["Bien sûr. ", use("pause_conversation")]);
  const { reply, actions } = await machine.say("En français, and wait");
  expect(reply).toBe("Bien sûr.");
  expect(actions.map(({ name }) => name)).toEqual(["set_language", "pause_conversation"]);
  expect([session.call.language, session.call.paused]).toEqual(["fr", true]);
  expect(machine.tools.ran[1]?.context.language).toBe("fr");
  expect(machine.voice.spoken.map(({ voice }) => voice)).toEqual(["fr+f3"]);
  expect(
    machine.model.requests.map(({ system }) => /language of this call is (\w+)/.exec(system)?.[1]),
  ).toEqual(["English", "French"]);
  await machine.turns.talk({ caller: callerNamed("ada"), content: "Oui.", correlationId: null });
  expect(machine.voice.spoken.at(-1)?.voice).toBe("fr+f3");
  expect(machine.told().filter((message) => message.case === "call")).toHaveLength(2);
});

test("a message of which the screen leaves nothing is refused before anything happens", async () => {
  await machine.connect();
  await expect(machine.say("something forbidden")).rejects.toMatchObject({ code: "message_refused" });
  expect([machine.types(), machine.history(), machine.turns.count]).toEqual([[], [], 0]);
  await machine.say("oh damn it");
  expect(machine.history()[0]).toBe("user: oh it");
  expect(machine.events()[0]).toMatchObject({ type: "user_message", content: "oh it" });
});

test("clauses are screened before they are shown, spoken or kept, in order, while others are spoken", async () => {
  await machine.connect();
  script(["One damn thing. Two forbidden things. Three things. Four forbidden."]);
  const three = Promise.withResolvers<void>();
  machine.screen.pause = (text) => (text === "Three things." ? three.promise : Promise.resolve());
  const turn = machine.say("Count");
  await settled();
  expect(machine.voice.spoken.map(({ text }) => text)).toEqual(["One thing."]);
  expect(clauses()).toEqual([[0, "One thing.", false]]);
  three.resolve();
  expect((await turn).reply).toBe("One thing. Three things.");
  expect(clauses()).toEqual([
    [0, "One thing.", false],
    [1, "Three things.", false],
    [2, "", true],
  ]);
  expect(machine.history()).toEqual(["user: Count", "assistant: One thing. Three things."]);
  expect(JSON.stringify([machine.events(), machine.voice.spoken])).not.toMatch(/forbidden|damn/);
});

test("a reply of which nothing is left is an error, not silence", async () => {
  await machine.connect();
  script(["All forbidden."]);
  const { reply, failure } = await machine.say("Go on");
  expect([reply, failure?.code]).toEqual(["", "reply_refused"]);
  expect(machine.types()).toEqual(["user_message", "error"]);
  expect(machine.history()).toEqual(["user: Go on"]);
});

test("a reset in the middle of a turn keeps that turn out of the new conversation", async () => {
  await machine.connect();
  const held = new HeldReply();
  machine.model.reply = () => held.stream();
  held.write("A long story. It ");
  const turn = machine.say("Tell me");
  await settled();
  await machine.turns.reset("ada");
  expect((await turn).interrupted).toBe(true);
  expect(machine.history()).toEqual([]);
});

test("a stop names what it saw: a turn that began since goes on", async () => {
  await machine.connect();
  const held = new HeldReply();
  machine.model.reply = () => held.stream();
  const first = machine.say("One");
  await settled();
  const sight = machine.turns.look();
  held.write("First. ");
  held.end();
  expect((await first).reply).toBe("First.");
  const later = new HeldReply();
  machine.model.reply = () => later.stream();
  const second = machine.say("Two");
  await settled();
  later.write("Second. And");
  await machine.turns.interrupt("ada", { sight });
  later.end();
  expect(await second).toMatchObject({ reply: "Second. And", interrupted: false });
});

test("an engine that heeds no signal holds up neither the stop nor the next turn", async () => {
  await machine.connect();
  machine.voice.pause = () => new Promise(() => undefined);
  const turn = machine.say("Speak");
  await settled();
  await machine.turns.interrupt("ada");
  expect((await turn).interrupted).toBe(true);
  machine.voice.pause = () => Promise.resolve();
  expect((await machine.say("Again")).failure).toBeNull();
});

test("a tool and a screen that never answer hold up no stop either", async () => {
  await machine.connect();
  script([use("look_up")], ["Never."]);
  machine.tools.answer = () => new Promise(() => undefined);
  const first = machine.say("One");
  await settled();
  await machine.turns.interrupt("ada");
  expect(await first).toMatchObject({ reply: "", interrupted: true, failure: { code: "model_failed" } });
  expect(machine.tools.ran[0]?.context.signal.aborted).toBe(true);
  script(["Never shown."]);
  machine.screen.pause = (text) => (text === "Two" ? Promise.resolve() : new Promise(() => undefined));
  const second = machine.say("Two");
  await settled();
  await machine.turns.interrupt("ada");
  expect(await second).toMatchObject({ reply: "", interrupted: true });
  expect(machine.types().filter((type) => type === "error")).toHaveLength(2);
});

test("a voice that breaks ends the reply there: shown words stay, unheard ones are forgotten", async () => {
  await machine.connect();
  const held = new HeldReply();
  machine.model.reply = () => held.stream();
  held.write("Good words. Broken words. Next");
  machine.voice.stumblesOver = "Broken";
  const { reply, failure } = await machine.say("Speak");
  expect([reply, failure?.code]).toEqual(["Good words. Broken words.", "voice_failed"]);
  await settled();
  expect(machine.history()).toEqual(["user: Speak", "assistant: Good words."]);
  expect(machine.types().slice(-2)).not.toContain("error");
});

test("words spoken as given that were stopped before they began are refused", async () => {
  await machine.connect();
  const talk = machine.turns.talk({ caller: callerNamed("ada"), content: "Hello.", correlationId: null });
  await machine.turns.interrupt("ada");
  await expect(talk).rejects.toMatchObject({ code: "voice_failed" });
  expect(machine.voice.spoken).toEqual([]);
});

test("what the avatar says is told to the ears, from its first sample to its last", async () => {
  machine.media.held = true;
  const { playback } = await machine.connect();
  const chunks: number[] = [];
  playback.subscribe(({ samples }) => chunks.push(samples.length));
  await machine.say("Hi");
  await settled();
  expect(playback.words).toBe("Hello there. How are you?");
  expect(playback.speaking).toBe(true);
  // Two clauses and the breath between them.
  expect(chunks).toHaveLength(3);
  machine.media.stage.finishSpeaking();
  await settled();
  expect([playback.words, playback.speaking]).toEqual(["", false]);
});

test("a stage that answers no interrupt is not waited for", async () => {
  machine.media.held = true;
  await machine.connect();
  const atMs = performance.now();
  const now = vi.spyOn(performance, "now").mockReturnValue(atMs);
  await machine.say("Hi");
  await settled();
  machine.media.stage.deaf = true;
  // Speech of the first clause takes 120 ms, the breath after it twice as long.
  now.mockReturnValue(atMs + 200);
  const silence = machine.turns.interrupt("ada");
  now.mockReturnValue(atMs + 10_000);
  await silence;
  now.mockRestore();
  await settled();
  expect(machine.history()).toEqual(["user: Hi", "assistant: Hello there."]);
  const speech = machine.types().filter((type) => type.startsWith("avatar_speech"));
  expect(speech).toEqual(["avatar_speech_started", "avatar_speech_ended"]);
  // Its late answer changes nothing.
  machine.media.stage.deaf = false;
  machine.media.stage.finishSpeaking();
  await settled();
  expect(machine.types().filter((type) => type.startsWith("avatar_speech"))).toEqual(speech);
});

test("a stage that takes no more ends the turn as interrupted, and the next is tried anew", async () => {
  await machine.connect();
  machine.media.stage.full = true;
  expect(await machine.say("Hi")).toMatchObject({ reply: "", interrupted: true });
  const talk = { caller: callerNamed("ada"), content: "Hello.", correlationId: null };
  await expect(machine.turns.talk(talk)).rejects.toMatchObject({ code: "voice_failed" });
  machine.media.stage.full = false;
  expect(await machine.say("Hi")).toMatchObject({ failure: null, interrupted: false });
});

test("the figures of a reply are handed on, and its observer hears of the first audio", async () => {
  await machine.connect();
  const first: number[] = [];
  await machine.say("Hi", { observer: { onFirstAudio: (milliseconds) => first.push(milliseconds) } });
  await settled();
  expect(machine.metrics).toHaveLength(1);
  expect(machine.metrics[0]?.first_audio_ms).toBeCloseTo(first[0] ?? -1, 0);
});
