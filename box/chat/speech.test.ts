import { expect, test } from "vitest";
import { collect } from "../testing/collect.ts";
import { clausesOf, type Clause } from "./speech.ts";

async function clauses(pieces: string[], emotion = true): Promise<Clause[]> {
  return collect(clausesOf(pieces, { emotion }));
}

test("each clause has the tone it was written in, and the last one is marked", async () => {
  expect(await clauses(["[wa", "rm] Hello there. [sa", "d]Oh no", ". Bye."])).toEqual([
    { text: "Hello there.", tone: "warm", last: false },
    { text: "Oh no.", tone: "sad", last: false },
    { text: "Bye.", tone: "sad", last: true },
  ]);
});

test("a tone that changes in the middle of a sentence cuts it; one at the end cuts nothing", async () => {
  expect(await clauses(["I was glad [sad] and then not. [happy]"])).toEqual([
    { text: "I was glad", tone: "neutral", last: false },
    { text: "and then not.", tone: "sad", last: true },
  ]);
});

test("without emotion everything is neutral and tags are still not spoken", async () => {
  expect(await clauses(["[happy] Hello."], false)).toEqual([{ text: "Hello.", tone: "neutral", last: true }]);
});

test("nothing comes of nothing", async () => {
  expect(await clauses(["", "[warm]", " \n"])).toEqual([]);
});
