import { expect, test } from "vitest";
import { collect, textOf } from "../../testing/collect.ts";
import { clausesOf } from "../speech.ts";
import { rehearsalLines } from "./rehearsal-script.ts";
import { RehearsalModel } from "./rehearsal.ts";

async function reply(content: string, signal = new AbortController().signal): Promise<string[]> {
  const model = new RehearsalModel({ pieceMs: 0 });
  const messages = [{ role: "user" as const, content }];
  const request = {
    model: "rehearsal",
    system: "",
    messages,
    tools: [],
    parameters: { max_tokens: 1 },
    signal,
  };
  return collect(textOf(model.stream(request)));
}

test("it writes in small pieces, the same ones each time", async () => {
  const pieces = await reply("Hello!");
  expect(pieces.length).toBeGreaterThan(10);
  expect(pieces.join("")).toBe(rehearsalLines("Hello!", 1));
  expect(await reply("Hello!")).toEqual(pieces);
});

test("it says what it is at first contact, and whenever it is asked", () => {
  for (const said of ["Hello!", "Tell me a joke", "Count to three", "What is the weather?"])
    expect(rehearsalLines(said, 1)).toMatch(/rehears/);
  for (const said of ["Are you an AI?", "What are you?", "are you real", "Who are you?"])
    expect(rehearsalLines(said, 7)).toMatch(/without a language model|no language model/);
});

test.each([
  ["say: The quick brown fox.", /^\[neutral\] The quick brown fox\.$/],
  ["Count to 4", /1, 2, 3, 4\./],
  ["please count to twelve", /11, 12\./],
  ["count to 100000", /30\. I stop at 30/],
  ["My name is Zoë", /Zoë/],
  ["tell me a story", /\./],
])("%s", (said, expected) => {
  expect(rehearsalLines(said, 2)).toMatch(expected);
});

test("it does not say the same thing turn after turn", () => {
  const replies = new Set([2, 3, 4].map((turn) => rehearsalLines("Tell me a joke", turn)));
  expect(replies.size).toBe(3);
});

test("every reply makes clauses, none of them with a tag in it", async () => {
  for (const said of [
    "hi",
    "who are you",
    "story",
    "joke",
    "fact",
    "help",
    "how are you",
    "bye",
    "why?",
    "hm",
    "count",
  ]) {
    for (const turn of [1, 2, 3, 4]) {
      const clauses = await collect(clausesOf([rehearsalLines(said, turn)], { emotion: true }));
      expect(clauses.length).toBeGreaterThan(0);
      expect(clauses.map(({ text }) => text).join(" ")).not.toMatch(/[[\]]/);
    }
  }
});

test("it stops when it is told", async () => {
  expect(await reply("Hello!", AbortSignal.abort())).toEqual([]);
});
