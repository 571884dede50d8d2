import * as fc from "fast-check";
import { expect, test } from "vitest";
import { collect } from "../testing/collect.ts";
import { clausesAsWritten, clausesOf, type Clause } from "./speech.ts";

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

test("a tag in the middle of a word changes the tone behind the word, however the stream is cut", async () => {
  const expected = [
    { text: "How wonderful", tone: "neutral", last: false },
    { text: "it is.", tone: "sad", last: true },
  ];
  expect(await clauses(["How won[sad]derful it is."])).toEqual(expected);
  expect(await clauses([..."How won[sad]derful it is."])).toEqual(expected);
});

test("markup, emoji and stage directions are neither shown nor spoken", async () => {
  expect(
    (
      await clauses([
        "# Hi!\n**Well.** *laughs* See [the docs](https://x.org/a.b). 😀\n- One\n- `Two` 🙂\n```\n",
      ])
    ).map(({ text }) => text),
  ).toEqual(["Hi!", "Well.", "See the docs.", "One", "Two"]);
});

test("a text spoken as it is written keeps its brackets and marks", () => {
  expect(clausesAsWritten("[sad] *Hi*. Bye 😀.", "warm")).toEqual([
    { text: "[sad] *Hi*.", tone: "warm", last: false },
    { text: "Bye 😀.", tone: "warm", last: true },
  ]);
});

test("where the stream is cut changes nothing, tones and all", async () => {
  const scrap = fc.constantFrom(
    ..."[sad] [warm] [laughs] 【happy】 Hello. a, U.S. He … はい。 元気 ** - *x* 😀 [a](b.c) [ ] word".split(
      " ",
    ),
    " ",
    "\n",
  );
  await fc.assert(
    fc.asyncProperty(fc.array(scrap, { maxLength: 30 }), async (parts) => {
      const text = parts.join("");
      const whole = await clauses([text]);
      expect(await clauses([...text])).toEqual(whole);
      expect(await clauses(parts)).toEqual(whole);
      expect(whole.slice(0, -1).some(({ last }) => last)).toBe(false);
    }),
  );
});
