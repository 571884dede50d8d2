import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readPersona, type Wishes } from "./words.ts";

const cases: [string, Wishes][] = [
  [
    "A friendly young woman with long red hair and green eyes in a navy sweater",
    {
      presentation: "feminine",
      ageYears: 24,
      hairColour: "red",
      hairCut: "long",
      eyeColour: "green",
      clothes: "navy",
      smile: 0.8,
    },
  ],
  [
    "An elderly man with a full white beard and round glasses.",
    { presentation: "masculine", ageYears: 70, beard: "full", glasses: "round" },
  ],
  [
    "A 45 year old woman with a blonde bob and blue eyes",
    { ageYears: 45, hairColour: "blonde", hairCut: "bob", eyeColour: "blue" },
  ],
  ["A man in his early thirties; his hair is black and curly", { ageYears: 32, hairColour: "black" }],
  ["he is in his late 60s", { presentation: "masculine", ageYears: 68 }],
  ["short, curly brown hair", { hairCut: "short", hairTexture: "curly", hairColour: "brown" }],
  ["grey-haired lady", { presentation: "feminine", hairColour: "grey" }],
  ["a redhead", { hairColour: "red" }],
  ["a bald man with a goatee", { hairCut: "bald", beard: "goatee" }],
  ["clean-shaven, without glasses", { beard: false, glasses: false }],
  ["dark skin, brown eyes", { skin: [0.74, 0.95], eyeColour: "brown" }],
  ["pale skin and freckles", { skin: [0, 0.05], freckles: true }],
  ["a Japanese man with purple hair", { eyeFold: true, hairColour: "purple" }],
  ["black hair in a bun, with a fringe", { hairCut: "bun", fringe: true, hairColour: "black" }],
  ["a serious man before a dark background", { smile: 0, background: "dark" }],
  ["a blue background and a red shirt", { background: "blue", clothes: "red" }],
  ["wearing black", { clothes: "black" }],
  ["a non-binary person", { presentation: "neutral" }],
  ["a little girl", { presentation: "feminine", ageYears: 19 }],
  ["aged 12", { ageYears: 19 }],
  ["Une femme élégante", { presentation: "feminine" }],
];

const said = (persona: string) =>
  Object.fromEntries(Object.entries(readPersona(persona)).filter(([, value]) => value !== undefined));

test.each(cases)("%s", (persona, wishes) => {
  expect(said(persona)).toMatchObject(wishes);
});

describe("what is not said", () => {
  test("stays open", () => {
    for (const persona of ["someone", "Kundenberaterin", "日本語", "!!!", "|"])
      expect(said(persona)).toEqual({});
  });

  test("is not read off another thing's words", () => {
    expect(said("green eyes and a blue shirt")).toEqual({ eyeColour: "green", clothes: "blue" });
    expect(said("white shirt, brown hair")).toEqual({ clothes: "white", hairColour: "brown" });
  });
});

test("any text at all is read without an error", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "grapheme", maxLength: 300 }),
      (text) => typeof readPersona(text) === "object",
    ),
  );
});
