// The turn machine: the rounds of a reply, their tools and lines, and where its words end.

import { afterEach, beforeEach, expect, test } from "vitest";
import type { Written } from "../testing/fake-model.ts";
import { TurnMachine } from "../testing/turn-machine.ts";

let machine: TurnMachine;
beforeEach(async () => {
  machine = new TurnMachine();
  await machine.connect();
});
afterEach(() => machine.close());

const use = (name: string, id = name): Written => ({ case: "tool_use", use: { id, name, arguments: {} } });

/** Each request gets the next reply; past the last one, the last again. */
function script(...replies: Written[][]): void {
  let next = 0;
  machine.model.reply = () => replies[Math.min(next++, replies.length - 1)] ?? [];
}

const pieces = () => machine.events().filter((event) => event.type === "message_stream");
const spoken = () => machine.voice.spoken.map(({ text }) => text);

test.each([
  ["an emoji behind the last stop", ["Hi. Nice to meet you! 😊"]],
  ["one in a script without spaces", ["はい。こんにちは。🙂🙂"]],
])("the end of speech is on the last clause: %s", async (_, written) => {
  script(written);
  await machine.say("Hello");
  expect(pieces().map(({ endOfSpeech }) => endOfSpeech)).toEqual([false, true]);
  expect(pieces().at(-1)?.content).not.toBe("");
});

test.each([
  ["a new line", [["Hello there.\n"]], ["Hello there."]],
  ["a stage direction", [["[warm] Bye! *waves*"]], ["Bye!"]],
  ["a last clause that the screen removed", [["Well. Something forbidden."]], ["Well."]],
  ["silence after a tool", [["Let me see. ", use("look_up")], ["*smiles*"]], ["Let me see."]],
])("what ends in nothing to say has an end of speech of its own: %s", async (_, replies, words) => {
  script(...replies);
  const heard: string[] = [];
  const { reply } = await machine.say("Hello", { observer: { onClause: ({ text }) => heard.push(text) } });
  const [first, last] = [pieces()[0], pieces().at(-1)];
  expect(pieces().map(({ content, endOfSpeech }) => [content, endOfSpeech])).toEqual([
    ...words.map((word) => [word, false]),
    ["", true],
  ]);
  expect(last).toEqual({ ...first, content: "", contentIndex: words.length, endOfSpeech: true });
  expect(machine.types().slice(machine.types().lastIndexOf("message_stream"))).toContain("message");
  expect([heard, reply, spoken()]).toEqual([words, words.join(" "), words]);
});

test("a turn without words has no end of speech", async () => {
  script([use("skip_turn")]);
  await machine.say("Not you");
  script(["Something forbidden."]);
  await machine.say("Hello");
  expect(pieces()).toEqual([]);
});

test("a pause has its phrase when the model says nothing, and not when it does; to be quiet never has one", async () => {
  machine.tools.phrases.set("pause_conversation", "I will wait.").set("skip_turn", "Never said.");
  script([use("skip_turn"), use("pause_conversation")]);
  const result = await machine.say("Wait");
  expect(result).toMatchObject({ reply: "I will wait.", failure: null });
  expect(result.actions.map(({ name }) => name)).toEqual(["skip_turn", "pause_conversation"]);
  expect(pieces().map(({ content, endOfSpeech }) => [content, endOfSpeech])).toEqual([
    ["I will wait.", true],
  ]);
  script(["All right. ", use("pause_conversation")]);
  expect((await machine.say("Wait")).reply).toBe("All right.");
  script([use("skip_turn")]);
  expect((await machine.say("Wait")).reply).toBe("");
});

test("who pauses and ends the call says goodbye", async () => {
  machine.tools.phrases.set("pause_conversation", "I will wait.");
  script([use("pause_conversation"), use("end_call")]);
  expect((await machine.say("Bye")).reply).toBe("Goodbye!");
});

test("a line is said once in a reply, however often its tool runs", async () => {
  machine.tools.phrases.set("look_up", "One moment.").set("set_language", "I switch.");
  script([use("look_up")], [use("look_up"), use("set_language")], [use("look_up")], ["Done."]);
  expect((await machine.say("Look")).reply).toBe("One moment. I switch. Done.");
  script([use("look_up")], ["Done."]);
  expect((await machine.say("Look again")).reply).toBe("One moment. Done.");
});

test("eight tools run in a round, and the model hears that the others did not", async () => {
  script(
    Array.from({ length: 300 }, (_, index) => use("look_up", `u${index}`)),
    ["Done."],
  );
  const told: string[] = [];
  await machine.say("Look", { observer: { onTool: ({ name }) => told.push(name) } });
  expect([machine.tools.ran.length, told.length]).toEqual([8, 8]);
  const answered = machine.model.requests[1]?.messages.at(-1);
  const results = answered?.role === "tool" ? answered.results : [];
  expect(results.map(({ id }) => id)).toEqual(Array.from({ length: 300 }, (_, index) => `u${index}`));
  expect(results.filter(({ isError }) => isError)).toHaveLength(292);
});

test("a tool that the model made up is shown to nobody", async () => {
  script([use("a_forbidden_word"), use("look_up")], ["Done."]);
  const told: string[] = [];
  const { tools } = await machine.say("Look", { observer: { onTool: ({ name }) => told.push(name) } });
  expect(told).toEqual(["look_up"]);
  expect(tools).toEqual(["Label of look_up"]);
  const results = machine.model.requests[1]?.messages.at(-1);
  expect(results).toMatchObject({ results: [{ isError: true }, { isError: false }] });
});
