import { describe, expect, test } from "vitest";
import { limits } from "./limits.ts";
import { hasSecondSentence, toolDefinitionSchema, toolPhrasesSchema } from "./tools.ts";

describe("one sentence", () => {
  test.each([
    "One moment.",
    "One moment, please!",
    "Let me ask Dr. Smith about that.",
    "Hmm... let me see.",
    "Version 2.5 is on its way.",
    "It opens at 5 p.m. today.",
    "¿Me das un momento?",
    "Un instant, s’il vous plaît…",
    "Ich sehe nach, z.B. im Lager.",
    "少々お待ちください。",
    "एक क्षण रुकिए।",
    "Looking it up",
  ])("%s", (line) => expect(hasSecondSentence(line)).toBe(false));

  test.each([
    "One moment. Let me see.",
    "Sure! One moment.",
    "Well… Let me see.",
    "¡Claro! ¿Me das un momento?",
    "Gern. Ich sehe nach.",
    "はい。少々お待ちください。",
    "जी हाँ। एक क्षण रुकिए।",
    "“Yes.” She said so.",
  ])("not %s", (line) => expect(hasSecondSentence(line)).toBe(true));

  // A pattern that takes the square of their length would be busy for an hour.
  test.each([".", "(", ". a", "。", "。」", "a.”", "e.g", "\u00a0"])("a body of nothing but %j", (piece) => {
    const line = piece.repeat(limits.jsonBodyBytes / piece.length);
    expect(hasSecondSentence(line)).toBe(false);
  });
});

describe("phrases", () => {
  const accepts = (phrases: unknown) => toolPhrasesSchema.safeParse(phrases).success;
  const one = (line: unknown, language = "en") => ({ look_up: { [language]: line } });

  test("characters are counted, not their halves", () => {
    expect(accepts(one("👋".repeat(limits.toolPhraseChars)))).toBe(true);
    expect(accepts(one("👋".repeat(limits.toolPhraseChars + 1)))).toBe(false);
  });

  test("a line that is too long is looked at no further", () => {
    for (const piece of ["One. Two. ", ".", "<b>"]) {
      const line = piece.repeat(limits.jsonBodyBytes / piece.length);
      const { error } = toolPhrasesSchema.safeParse(one(line));
      expect(error?.issues.map(({ message }) => message)).toEqual([
        `must be at most ${limits.toolPhraseChars} characters`,
      ]);
    }
  });

  test("space around a line is no part of it", () => {
    expect(toolPhrasesSchema.parse(one("  One moment.  "))).toEqual(one("One moment."));
    for (const line of ["", "   ", null, 5]) expect(accepts(one(line))).toBe(false);
  });

  test.each(["<b>", "a > b", "[warm] Hm", "]", "a\nb", "a\rb", "One. Two."])("%j is refused", (line) => {
    expect(accepts(one(line))).toBe(false);
  });

  test("languages, names and how many", () => {
    for (const language of ["en", "es", "fr", "de", "it", "pt", "hi", "ja"])
      expect(accepts(one("x", language))).toBe(true);
    expect(accepts(one("x", "nl"))).toBe(false);
    const tools = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, i) => [`t${i}`, {}]));
    expect(accepts(tools(limits.toolPhraseTools))).toBe(true);
    expect(accepts(tools(limits.toolPhraseTools + 1))).toBe(false);
    expect(accepts({ skip_turn: { en: "x" } })).toBe(false);
    expect(accepts({ end_call: { en: "Bye." } })).toBe(true);
    expect(accepts({ "Look Up": { en: "x" } })).toBe(false);
  });
});

describe("definitions", () => {
  const tool = { name: "look_up", description: "Looks something up.", parameters: { type: "object" } };
  const accepts = (changes: object) => toolDefinitionSchema.safeParse({ ...tool, ...changes }).success;
  const parameters = (schema: unknown) => accepts({ parameters: schema });

  test("the defaults", () => {
    expect(toolDefinitionSchema.parse(tool)).toEqual({
      ...tool,
      mode: "await_result",
      timeout_seconds: 10,
      enabled: true,
    });
  });

  test("keywords beyond the three stay", () => {
    const schema = {
      type: "object",
      properties: { city: { type: "string", enum: ["Perth"] }, at: { $ref: "#/$defs/time" } },
      required: ["city"],
      additionalProperties: false,
      $defs: { time: { type: "string" } },
    };
    expect(toolDefinitionSchema.parse({ ...tool, parameters: schema }).parameters).toEqual(schema);
  });

  test.each([
    [null],
    [[]],
    ["object"],
    [{}],
    [{ type: "array" }],
    [{ type: "object", properties: [] }],
    [{ type: "object", properties: { city: "string" } }],
    [{ type: "object", properties: { "my city": {} } }],
    [{ type: "object", required: "city" }],
    [{ type: "object", properties: { city: {} }, required: [5] }],
    [{ type: "object", properties: { city: {} }, required: ["town"] }],
    [{ type: "object", required: ["toString"] }],
    [{ type: "object", description: "x".repeat(limits.toolParametersChars) }],
  ])("parameters %j are refused", (schema) => expect(parameters(schema)).toBe(false));

  test("parameters may be nested, but not without end", () => {
    const nested = (levels: number): object => {
      let inner: unknown = {};
      for (let level = 1; level < levels; level += 1) inner = level % 2 === 0 ? { items: inner } : [inner];
      return { type: "object", description: inner };
    };
    expect(parameters(nested(limits.toolParametersLevels - 1))).toBe(true);
    for (const levels of [limits.toolParametersLevels, 5_000, 200_000]) {
      const { error } = toolDefinitionSchema.safeParse({ ...tool, parameters: nested(levels) });
      expect(error?.issues.map(({ message }) => message)).toEqual([
        `must be nested at most ${limits.toolParametersLevels} levels deep`,
      ]);
    }
  });

  test.each([
    { name: "Look Up" },
    { name: "a".repeat(65) },
    { name: "9lives" },
    { description: "" },
    { description: "x".repeat(1025) },
    { mode: "later" },
    { timeout_seconds: 0 },
    { timeout_seconds: 61 },
    { timeout_seconds: 1.5 },
    { enabled: "yes" },
    { colour: "red" },
    { endpoint: "http://api.example.com" },
    { endpoint: "ftp://api.example.com" },
    { endpoint: "api.example.com" },
    { endpoint: "https://user:secret@api.example.com" },
    { endpoint: "https://user@api.example.com" },
    { endpoint: "https://:secret@api.example.com" },
    { endpoint: `https://api.example.com/${"x".repeat(limits.toolEndpointChars)}` },
    { endpoint: null },
  ])("%j is refused", (changes) => expect(accepts(changes)).toBe(false));
});
