import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { limits } from "../../contract/limits.ts";
import { effortLevels, reasoningLevels } from "../../contract/models.ts";
import {
  defaultSettings,
  type Settings,
  settingsPatchSchema,
  voiceEngines,
} from "../../contract/settings.ts";
import { changesOf, type Draft, draftOf, placeOfRefusal } from "./draft.ts";
import { emptyPhrase } from "./phrases.ts";
import { modelRow } from "./testing/models.ts";
import { emptyTool } from "./tools.ts";

const stored: Settings = {
  ...defaultSettings([modelRow("rehearsal")]),
  avatar: "mara",
  temperature: 0.7,
  tool_phrases: { look_up: { en: "One moment.", de: "Moment." } },
  tools: [
    {
      name: "look_up",
      description: "Looks an order up.",
      parameters: { type: "object", properties: {}, required: [] },
      mode: "await_result",
      timeout_seconds: 10,
      enabled: true,
    },
  ],
};
const draft = draftOf(stored);
const edited = (part: Partial<Draft>) => changesOf(stored, { ...draft, ...part });

const settings: fc.Arbitrary<Settings> = fc.record({
  provider: fc.constant("builtin"),
  model: fc.string({ minLength: 1, maxLength: 20 }),
  live_model: fc.string({ minLength: 1, maxLength: 20 }),
  system_prompt: fc.string(),
  max_tokens: fc.integer({ min: 1, max: 8192 }),
  top_p: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  temperature: fc.option(fc.double({ min: 0, max: 1, noNaN: true })),
  effort: fc.constantFrom(...effortLevels),
  reasoning: fc.option(fc.constantFrom(...reasoningLevels)),
  emotion_responsive: fc.boolean(),
  avatar: fc.string({ minLength: 1, maxLength: 20 }),
  tts_provider: fc.constantFrom(...voiceEngines),
  voice_id: fc.option(fc.stringMatching(/^[a-z0-9]{1,12}$/)),
  voice_id_local: fc.option(fc.stringMatching(/^[a-z0-9]{1,12}$/)),
  voice_id_cartesia: fc.option(fc.stringMatching(/^[a-z0-9]{1,12}$/)),
  tool_phrases: fc.dictionary(
    fc.stringMatching(/^[a-z][a-z0-9_]{0,8}$/),
    fc.record({ en: fc.stringMatching(/^[a-z.]{1,20}$/) }),
    { maxKeys: 4 },
  ),
  tools: fc.constant([]),
});

describe("changesOf", () => {
  it("finds nothing in a form that nobody touched", () => {
    fc.assert(
      fc.property(settings, (record) => {
        expect(changesOf(record, draftOf(record))).toEqual({ patch: {}, problems: {}, changed: [] });
      }),
    );
  });

  it("sends exactly what turns one record into another", () => {
    fc.assert(
      fc.property(settings, settings, (before, after) => {
        const { patch, problems } = changesOf(before, draftOf(after));
        expect(problems).toEqual({});
        expect(settingsPatchSchema.safeParse(patch).success).toBe(true);
        const { provider: _, ...wanted } = after;
        expect({ ...before, ...patch }).toMatchObject(wanted);
        for (const field of Object.keys(patch) as (keyof typeof patch)[]) {
          expect(patch[field]).not.toEqual(before[field]);
        }
      }),
    );
  });

  it("sends one field when one differs", () => {
    expect(edited({ max_tokens: "2048" }).patch).toEqual({ max_tokens: 2048 });
    expect(edited({ temperature: "" }).patch).toEqual({ temperature: null });
    expect(edited({ temperature: "0,25" }).patch).toEqual({ temperature: 0.25 });
    expect(edited({ avatar: "" }).patch).toEqual({ avatar: "" });
    expect(edited({ voice_id: "  voice " }).patch).toEqual({ voice_id: "voice" });
    expect(edited({ tools: [] }).patch).toEqual({ tools: [] });
  });

  it("takes the same number written otherwise, and the same JSON laid out otherwise, for no change", () => {
    const parameters = '{"required":[],"properties":{},"type":"object"}';
    expect(edited({ temperature: "0.70" }).changed).toEqual([]);
    expect(edited({ tools: [{ ...draft.tools[0]!, parameters }] }).changed).toEqual([]);
  });

  it.each<[keyof Draft, string]>([
    ["max_tokens", ""],
    ["max_tokens", "0"],
    ["max_tokens", "8193"],
    ["max_tokens", "many"],
    ["max_tokens", "1.5"],
    ["temperature", "1.01"],
    ["temperature", "warm"],
    ["top_p", "-0.1"],
  ])("says what is wrong with %s of %j", (field, text) => {
    const { problems, changed } = edited({ [field]: text });
    expect(changed).toEqual([field]);
    expect(Object.keys(problems)).toEqual([field]);
  });

  it("refuses a prompt that is too long before it is sent", () => {
    const { problems } = edited({ system_prompt: "x".repeat(limits.systemPromptChars + 1) });
    expect(problems).toHaveProperty("system_prompt");
  });

  it.each([
    ["name", { name: "Look Up" }],
    ["name", { name: "" }],
    ["name", { name: "end_call" }],
    ["description", { description: " " }],
    ["parameters", { parameters: "{" }],
    ["parameters", { parameters: "[]" }],
    ["parameters", { parameters: '{"type":"string"}' }],
    ["timeout_seconds", { timeout_seconds: "61" }],
    ["timeout_seconds", { timeout_seconds: "" }],
    ["endpoint", { endpoint: "http://api.example.com" }],
    ["endpoint", { endpoint: "api.example.com" }],
  ])("says what is wrong with a tool's %s in %j", (field, part) => {
    const { problems, changed } = edited({
      tools: [...draft.tools, { ...emptyTool, name: "t", description: "d", ...part }],
    });
    expect(changed).toEqual(["tools"]);
    expect(Object.keys(problems)).toEqual([`tools.1.${field}`]);
  });

  it("refuses two tools of one name, at both", () => {
    const { problems } = edited({ tools: [draft.tools[0]!, { ...draft.tools[0]! }] });
    expect(Object.keys(problems)).toEqual(["tools.0.name", "tools.1.name"]);
  });

  it.each([
    ["tool", emptyPhrase("skip_turn"), "Hm."],
    ["tool", emptyPhrase("Look Up"), "Hm."],
    ["tool", emptyPhrase("look_up"), "Hm."],
    ["tool", emptyPhrase("other"), ""],
    ["en", emptyPhrase("other"), "<b>Hm</b>"],
    ["en", emptyPhrase("other"), "[warm] Hm"],
    ["en", emptyPhrase("other"), "x".repeat(limits.toolPhraseChars + 1)],
  ])("says what is wrong with a phrase, at its %s", (field, phrase, en) => {
    const lines = { ...phrase.lines, en };
    const { problems } = edited({ tool_phrases: [...draft.tool_phrases, { ...phrase, lines }] });
    expect(Object.keys(problems)).toEqual([`tool_phrases.1.${field}`]);
  });

  it("drops a row of phrases that is all empty", () => {
    expect(edited({ tool_phrases: [...draft.tool_phrases, emptyPhrase()] }).changed).toEqual([]);
  });
});

describe("placeOfRefusal", () => {
  it.each([
    ['"live_model": the model "x" does not exist.', "live_model"],
    ['"max_tokens": Too big.', "max_tokens"],
    ['"tools.0.description": Too small.', "tools.0.description"],
    ['"tools": the endpoint of "look_up" is not on the public internet.', "tools.0.endpoint"],
    ['"tools": two tools are called "look_up".', "tools.0.name"],
    ['"tools": Too big: expected array to have <=10 items', "tools"],
    ['"tool_phrases.look_up.de": must be one sentence', "tool_phrases.0.de"],
    ['"tool_phrases.elsewhere.de": must be one sentence', "tool_phrases"],
    ['"tool_phrases": at most 32 tools may have phrases', "tool_phrases"],
    ['Unknown field "nope".', null],
    ['Unknown field "colour" in "tools.0".', "tools.0.name"],
    ["Something else.", null],
  ])("%s", (message, place) => {
    expect(placeOfRefusal(message, draft)).toBe(place);
  });
});
