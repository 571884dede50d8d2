import { expect, test } from "vitest";
import { collect } from "../../testing/collect.ts";
import { systemPrompt } from "../prompt.ts";
import { languages, type Language } from "../../../contract/tones.ts";
import { clausesOf } from "../speech.ts";
import { builtinTools } from "../tools/builtin.ts";
import type { ModelMessage, ModelTool, ToolUse } from "./model.ts";
import { rehearsalLines } from "./rehearsal-script.ts";
import { argumentsFor, spokenResult, toolLines } from "./rehearsal-tools.ts";
import { askedLanguage, languageOf } from "./rehearsal-wishes.ts";
import { RehearsalModel } from "./rehearsal.ts";

const live = builtinTools(true).map(({ definition }) => definition);
const lookUp: ModelTool = {
  name: "look_up_order",
  description: "Finds an order.",
  parameters: {
    type: "object",
    properties: { order: { type: "integer" }, note: { type: "string" } },
    required: ["order"],
  },
};
const persona = { system_prompt: "You are Maya.", emotion_responsive: true };

interface Turn {
  language?: Language;
  tools?: ModelTool[];
  history?: ModelMessage[];
}

async function turn(said: string, { language = "en", tools = live, history = [] }: Turn = {}) {
  const messages: ModelMessage[] = [{ role: "user", content: said }, ...history];
  let words = "";
  const uses: ToolUse[] = [];
  const system = systemPrompt(persona, { language, tools });
  const signal = new AbortController().signal;
  const model = new RehearsalModel({ pieceMs: 0 });
  for await (const piece of model.stream({
    model: "rehearsal",
    system,
    messages,
    tools,
    parameters: { max_tokens: 1 },
    signal,
  })) {
    if (piece.case === "text") words += piece.text;
    if (piece.case === "tool_use") uses.push(piece.use);
  }
  return { words, uses, calls: uses.map(({ name, arguments: given }) => [name, given]) };
}

/** The round after `uses`, with what they brought. */
function brought(uses: ToolUse[], content: string, isError = false): ModelMessage[] {
  return [
    { role: "assistant", content: "", toolUses: uses },
    { role: "tool", results: uses.map(({ id }) => ({ id, content, isError })) },
  ];
}

test.each([
  ["Goodbye then!", "end_call", /Goodbye/],
  ["please hang up", "end_call", /Goodbye/],
  ["Let me think about it.", "pause_conversation", /I will wait/],
  ["hold on", "pause_conversation", /take your time/],
  ["don't answer this", "skip_turn", /^$/],
  ["Say nothing, please.", "skip_turn", /^$/],
])("%s: %s", async (said, name, words) => {
  const { calls, words: spoken, uses } = await turn(said);
  expect(calls).toEqual([[name, {}]]);
  expect(spoken).toMatch(words);
  // It has said its words, and adds none to what the tool brings.
  expect(await turn(said, { history: brought(uses, "Done.") })).toEqual({ words: "", uses: [], calls: [] });
});

test("words that were met with silence do not decide the next turn", async () => {
  expect((await turn("Don't answer this.\nGoodbye!")).calls).toEqual([["end_call", {}]]);
  expect((await turn("say: one,\ntwo.")).words).toBe("[neutral] one,\ntwo.");
});

test.each<[Language, string, string, string]>([
  ["es", "Adiós, hasta luego", "Espera un momento", "No respondas"],
  ["fr", "Au revoir !", "Laissez-moi réfléchir", "Ne répondez pas"],
  ["de", "Tschüss!", "Lass mich nachdenken", "Antworte bitte nicht"],
  ["it", "Arrivederci", "Fammi pensare", "Non rispondere"],
  ["pt", "Tchau!", "Deixe-me pensar", "Não responda"],
  ["hi", "अलविदा", "मुझे सोचने दीजिए", "जवाब मत दो"],
  ["ja", "さようなら", "ちょっと まって", "こたえないで"],
])("in %s as well", async (language, goodbye, wait, silence) => {
  const names = [];
  for (const said of [goodbye, wait, silence]) names.push((await turn(said, { language })).calls[0]?.[0]);
  expect(names).toEqual(["end_call", "pause_conversation", "skip_turn"]);
  expect((await turn(wait, { language })).words).toBe(toolLines[language].waiting);
  expect((await turn(goodbye, { language })).words).toContain(rehearsalLines(goodbye, 2, language));
});

test("a wish that no tool is there for is answered in words", async () => {
  const { words, calls } = await turn("Goodbye!", { tools: [] });
  expect(calls).toEqual([]);
  expect(words).toMatch(/Goodbye/);
});

test.each<[string, Language]>([
  ["Please speak Spanish", "es"],
  ["Can we talk in French?", "fr"],
  ["en español, por favor", "es"],
  ["Sprich bitte auf Deutsch", "de"],
  ["parla in italiano", "it"],
  ["fale em português", "pt"],
  ["हिंदी में बात करो", "hi"],
  ["にほんごで はなして", "ja"],
  ["Switch to Hindi", "hi"],
])("%s", async (said, language) => {
  const { calls, words, uses } = await turn(said);
  expect(calls).toEqual([["set_language", { language }]]);
  expect(words).toBe("");
  // The prompt of the next round may still name the old language.
  const done = await turn(said, { history: brought(uses, "The call goes on.") });
  expect(done).toMatchObject({ words: toolLines[language].switched, calls: [] });
  const refused = await turn(said, { history: brought(uses, "No such language.", true) });
  expect(refused.words).toBe(toolLines.en.failed);
  // Where there is no call to turn, the reply alone is in it.
  expect((await turn(said, { tools: [] })).words).toBe(toolLines[language].switched);
});

test("it goes on in the call's language, and back to English when it is asked", async () => {
  expect((await turn("¿Quién eres?", { language: "es" })).words).toMatch(/personaje de ensayo/);
  expect((await turn("habla en inglés", { language: "es" })).calls).toEqual([
    ["set_language", { language: "en" }],
  ]);
});

test("who goes on in another language is followed", async () => {
  const { uses, calls } = await turn("Hola, ¿cómo estás?");
  expect(calls).toEqual([["set_language", { language: "es" }]]);
  const { words } = await turn("Hola, ¿cómo estás?", { history: brought(uses, "The call goes on.") });
  expect(words).toMatch(/¿Y tú\?/);
});

test.each(["I like Spanish food", "Tell me about the French kings", "A German car", "danke is thanks"])(
  "%s is no wish for another language",
  (said) => {
    expect(askedLanguage(said)).toBeNull();
    expect([null, "en"]).toContain(languageOf(said));
  },
);

test("a tool is called when the message names it, with what stands behind its name", async () => {
  const tools = [...live, lookUp];
  for (const said of ["use the tool look_up_order with 4711", "Look up order 4711, please."])
    expect((await turn(said, { tools })).calls).toEqual([["look_up_order", { order: 4711 }]]);
  expect((await turn("Where is my order?", { tools })).calls).toEqual([]);
  // Words to be read back call nothing.
  expect((await turn("say: look up order 4711", { tools })).calls).toEqual([]);
});

test("what the tool brought is said, a failure as well", async () => {
  const tools = [...live, lookUp];
  const said = "look up order 7";
  const { uses } = await turn(said, { tools });
  const after = async (content: string, isError = false, language: Language = "en") =>
    (await turn(said, { tools, language, history: brought(uses, content, isError) })).words;
  expect(await after("Your order is on its way.")).toBe(
    "[neutral] Here is what the tool answered: Your order is on its way.",
  );
  expect(await after('{"state":"shipped","days_left":2}', false, "es")).toContain(
    "state shipped, days left 2",
  );
  expect(await after("boom", true)).toBe(toolLines.en.failed);
  expect(await after('""')).toBe(toolLines.en.nothing);
});

test("two tools in one message are called together", async () => {
  const clock: ModelTool = { name: "clock", description: "The time.", parameters: { type: "object" } };
  const { calls, uses } = await turn("look up order 7 and ask the clock", { tools: [lookUp, clock] });
  expect(calls).toEqual([
    ["look_up_order", { order: 7 }],
    ["clock", {}],
  ]);
  expect(new Set(uses.map(({ id }) => id)).size).toBe(2);
});

test("arguments are of the types that the schema asks for", () => {
  const schema = {
    type: "object",
    properties: {
      colour: { enum: ["red", "blue"] },
      count: { type: "number" },
      gift: { type: "boolean" },
      tags: { type: "array", items: { type: "string" } },
      to: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      kind: { const: "x" },
      extra: { type: "string" },
    },
    required: ["colour", "count", "gift", "tags", "to", "kind"],
  };
  const words = "a blue one, 2.5 kilos";
  expect(argumentsFor(schema, words)).toEqual({
    colour: "blue",
    count: 2.5,
    gift: true,
    tags: [words],
    to: { city: words },
    kind: "x",
  });
  expect(argumentsFor({ type: "object" }, words)).toEqual({});
});

test("a result is spoken without markup, and never for long", () => {
  expect(spokenResult('{"a":[1,2,{"b":"[warm] <b>"}]}')).toBe("a 1, 2, b warm b");
  expect(spokenResult("x".repeat(10_000))).toHaveLength(240);
});

test.each(languages)(
  "every line in %s makes clauses without tags, and Japanese stands in kana",
  async (language) => {
    const { result, ...fixed } = toolLines[language];
    for (const line of [...Object.values(fixed), result("42")]) {
      const clauses = await collect(clausesOf([line], { emotion: true }));
      const text = clauses.map((clause) => clause.text).join(" ");
      expect(text).toMatch(/\p{L}/u);
      expect(text).not.toMatch(/[[\]]/);
      if (language === "ja") expect(text).not.toMatch(/\p{Script=Han}/u);
    }
  },
);
