import { Writable } from "node:stream";
import * as fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { limits } from "../../../contract/limits.ts";
import { toolDefinitionSchema, type ToolDefinition } from "../../../contract/tools.ts";
import { languages } from "../../../contract/tones.ts";
import { createLog } from "../../ops/log.ts";
import { argumentChars } from "./arguments.ts";
import { ClientToolError, type ClientToolCall } from "./client-tools.ts";
import { cutNote } from "./content.ts";
import { EndpointError, type EndpointCall } from "./endpoint-calls.ts";
import { PersonaToolboxes } from "./persona-toolbox.ts";
import type { ToolContext } from "./toolbox.ts";

const secret = "a-secret-of-somebody";

let endpointCalls: EndpointCall[];
let clientCalls: (Omit<ClientToolCall, "timeoutMs" | "signal"> & { timeoutMs?: number })[];
let atEndpoint: (call: EndpointCall) => Promise<string>;
let atClient: () => Promise<unknown>;
let logged: string;

beforeEach(() => {
  endpointCalls = [];
  clientCalls = [];
  logged = "";
  atEndpoint = () => Promise.resolve("from the endpoint");
  atClient = () => Promise.resolve({ from: "the client" });
});

function toolboxes(): PersonaToolboxes {
  const destination = new Writable({
    write(chunk: Buffer, _encoding, done) {
      logged += chunk.toString();
      done();
    },
  });
  return new PersonaToolboxes({
    endpoints: {
      call: (call) => {
        endpointCalls.push(call);
        return atEndpoint(call);
      },
      close: () => undefined,
    },
    clientTools: {
      call: (call) => {
        clientCalls.push(call);
        return atClient();
      },
      tell: (call) => void clientCalls.push(call),
    },
    log: createLog("info", destination),
  });
}

const custom = (given: Partial<ToolDefinition> = {}): ToolDefinition =>
  toolDefinitionSchema.parse({
    name: "look_up_order",
    description: "Looks an order up.",
    parameters: { type: "object", properties: { order: { type: "string" } }, required: ["order"] },
    ...given,
  });

const context: ToolContext = {
  account: "me",
  sessionId: "s1",
  correlationId: "c1",
  language: "en",
  signal: new AbortController().signal,
};

const of = (tools: ToolDefinition[] = [], { live = true, phrases = {} } = {}) =>
  toolboxes().of({ tools, tool_phrases: phrases }, live);

const use = (name: string, given: unknown = {}) => ({
  id: "u1",
  name,
  arguments: given as Record<string, unknown>,
});

test("a call has all built-in tools, a conversation in writing those that need none", () => {
  const names = (live: boolean) => of([], { live }).definitions.map(({ name }) => name);
  expect(names(true)).toEqual(["end_call", "skip_turn", "pause_conversation", "set_language"]);
  expect(names(false)).toEqual(["skip_turn"]);
});

test("definitions are what a model host takes: name, description, schema, and nothing else", () => {
  const box = of([custom(), custom({ name: "off", enabled: false }), custom({ name: "end_call" })]);
  expect(box.definitions.map(({ name }) => name)).toEqual([
    "end_call",
    "skip_turn",
    "pause_conversation",
    "set_language",
    "look_up_order",
  ]);
  for (const definition of box.definitions) {
    expect(Object.keys(definition).sort()).toEqual(["description", "name", "parameters"]);
    expect(definition.parameters.type).toBe("object");
    expect(definition.description.length).toBeGreaterThan(10);
    expect(definition.description.length).toBeLessThanOrEqual(1024);
  }
  const language = box.definitions.find(({ name }) => name === "set_language");
  expect(language?.parameters).toMatchObject({
    properties: { language: { enum: languages } },
    required: ["language"],
  });
});

test("every built-in tool has a name in every language, and a custom one a name in words", () => {
  const box = of();
  for (const { name } of box.definitions) {
    const labels = languages.map((language) => box.label(name, language));
    expect(new Set(labels).size).toBe(languages.length);
    for (const label of labels) expect(label).not.toMatch(/_/);
  }
  expect(box.label("look_up_order", "ja")).toBe("Look up order");
  expect(box.label("x", "en")).toBe("X");
  for (const odd of ["__proto__", "constructor", "toString"])
    expect(typeof box.label(odd, "de")).toBe("string");
});

test("built-in tools act", async () => {
  const box = of();
  const acts = {
    end_call: { name: "end_call", label: "End the call" },
    skip_turn: { name: "skip_turn", label: "Stay quiet" },
    pause_conversation: { name: "pause_conversation", label: "Pause the conversation", paused: true },
  };
  for (const [name, action] of Object.entries(acts)) {
    expect(await box.run(use(name), context)).toEqual({
      id: "u1",
      content: expect.any(String),
      isError: false,
      action,
    });
    expect(box.endsTurn(name)).toBe(true);
  }
  for (const language of languages) {
    const outcome = await box.run(use("set_language", { language }), { ...context, language: "fr" });
    expect(outcome.action).toEqual({ name: "set_language", label: "Changer de langue", language });
  }
  expect(box.endsTurn("set_language")).toBe(false);
  expect(box.endsTurn("look_up_order")).toBe(false);
});

test.each([
  [{}],
  [{ language: "xx" }],
  [{ language: 3 }],
  [{ language: null }],
  [{ language: ["de"] }],
  ["de"],
  [null],
])("set_language with %j changes nothing and says why", async (given) => {
  const outcome = await of().run(use("set_language", given), context);
  expect(outcome).toMatchObject({
    isError: true,
    action: null,
    content: expect.stringMatching(/language|object/),
  });
});

test("what the persona says while a tool runs", () => {
  const phrases = {
    look_up_order: { en: "Let me look.", de: "Ich schaue nach." },
    note_it: { en: "Noted." },
    end_call: { en: "Farewell." },
    pause_conversation: { en: "I will wait." },
    skip_turn: { en: "never" },
  };
  const box = of(
    [custom(), custom({ name: "other" }), custom({ name: "note_it", mode: "fire_and_forget" })],
    {
      phrases,
    },
  );
  expect(box.phrase("look_up_order", "de")).toBe("Ich schaue nach.");
  expect(box.phrase("look_up_order", "fr")).toBe("Un instant, s’il vous plaît.");
  expect(new Set(languages.map((language) => box.phrase("other", language))).size).toBe(languages.length);
  expect(box.phrase("note_it", "en")).toBe("Noted.");
  // Nothing of ours is there in French.
  expect(box.phrase("note_it", "fr")).toBe("Noted.");
  expect(box.phrase("pause_conversation", "fr")).toBe("I will wait.");
  expect(box.phrase("end_call", "en")).toBe("Farewell.");
  // A goodbye of ours is.
  expect(box.phrase("end_call", "fr")).toBeNull();
  for (const name of ["skip_turn", "set_language", "__proto__", "nobody"])
    expect(box.phrase(name, "en")).toBeNull();
});

test("a custom tool without an endpoint runs at the client", async () => {
  const outcome = await of([custom({ timeout_seconds: 7 })]).run(
    use("look_up_order", { order: "42" }),
    context,
  );
  expect(outcome).toEqual({ id: "u1", content: '{"from":"the client"}', isError: false, action: null });
  expect(clientCalls).toEqual([
    {
      account: "me",
      use: use("look_up_order", { order: "42" }),
      correlationId: "c1",
      timeoutMs: 7_000,
      signal: context.signal,
    },
  ]);
});

test("a client's answer is bounded, whatever it is", async () => {
  const box = of([custom()]);
  const results: [result: unknown, content: unknown][] = [
    [undefined, "null"],
    ["words", '"words"'],
    [JSON.parse("[".repeat(50_000) + "]".repeat(50_000)), "The tool's answer is nested too deeply."],
    ["x".repeat(100_000), expect.stringContaining(cutNote)],
  ];
  for (const [result, content] of results) {
    atClient = () => Promise.resolve(result);
    const outcome = await box.run(use("look_up_order", { order: "1" }), context);
    expect(outcome.content).toEqual(content);
    expect(outcome.content.length).toBeLessThanOrEqual(limits.toolResultChars);
  }
});

test("a custom tool with an endpoint runs there", async () => {
  const endpoint = "https://tools.example/look";
  const outcome = await of([custom({ endpoint })]).run(use("look_up_order", { order: "42" }), context);
  expect(outcome).toEqual({ id: "u1", content: "from the endpoint", isError: false, action: null });
  expect(endpointCalls).toEqual([
    {
      endpoint,
      tool: "look_up_order",
      arguments: { order: "42" },
      sessionId: "s1",
      correlationId: "c1",
      timeoutMs: 10_000,
      signal: context.signal,
    },
  ]);
  expect(clientCalls).toEqual([]);
});

test("fire and forget: told and not waited for, and an interrupt of the turn does not take it back", async () => {
  const mode = "fire_and_forget" as const;
  const answered = Promise.withResolvers<string>();
  atEndpoint = () => answered.promise;
  const boxes = toolboxes();
  const box = boxes.of(
    {
      tools: [custom({ mode }), custom({ mode, name: "far", endpoint: "https://tools.example/" })],
      tool_phrases: {},
    },
    true,
  );
  const controller = new AbortController();
  for (const name of ["look_up_order", "far"]) {
    const outcome = await box.run(use(name, { order: "1" }), { ...context, signal: controller.signal });
    expect(outcome).toMatchObject({ isError: false, content: expect.stringContaining("started") });
  }
  controller.abort();
  expect(endpointCalls[0]?.signal.aborted).toBe(false);
  expect(clientCalls).toHaveLength(1);
  answered.reject(new EndpointError("status", "The tool answered with status 500.", 500));
  await boxes.close();
  expect(JSON.parse(logged)).toMatchObject({ level: 40, tool: "far", fault: "status", status: 500 });
});

test("sent and not waited for has a bound, each account its own", async () => {
  const answered = Promise.withResolvers<string>();
  atEndpoint = () => answered.promise;
  const boxes = toolboxes();
  const box = boxes.of(
    { tools: [custom({ mode: "fire_and_forget", endpoint: "https://tools.example/" })], tool_phrases: {} },
    true,
  );
  const run = (account: string) => box.run(use("look_up_order", { order: "1" }), { ...context, account });
  const outcomes = await Promise.all(Array.from({ length: 40 }, () => run("me")));
  expect(outcomes.filter(({ isError }) => isError)).toHaveLength(8);
  expect(endpointCalls).toHaveLength(32);
  expect(await run("somebody else")).toMatchObject({ isError: false });
  answered.resolve("at last");
  await boxes.close();
  expect(await run("me")).toMatchObject({ isError: false });
});

test("arguments are looked at before anybody sees them", async () => {
  const box = of([custom()]);
  const cases: [given: unknown, content: string][] = [
    [{}, "Required arguments are missing: order."],
    [{ order: undefined }, "Required arguments are missing: order."],
    [[], "must be a JSON object"],
    ["text", "must be a JSON object"],
    [null, "must be a JSON object"],
    [{ order: "x".repeat(argumentChars) }, "longer than"],
    [{ order: JSON.parse("[".repeat(50_000) + "]".repeat(50_000)) }, "nested"],
  ];
  for (const [given, content] of cases) {
    const outcome = await box.run(use("look_up_order", given), context);
    expect(outcome).toMatchObject({ isError: true, content: expect.stringContaining(content) });
  }
  expect(clientCalls).toEqual([]);
});

test("what goes wrong is an outcome in our own words, and the log tells its kind", async () => {
  const box = of([custom(), custom({ name: "far", endpoint: `https://tools.example/${secret}` })]);
  const failures: [name: string, error: Error, content: string][] = [
    ["far", new EndpointError("timeout", "Too late."), "Too late."],
    ["far", new Error(secret), "The tool could not be run."],
    ["look_up_order", new ClientToolError("Nobody is there."), "Nobody is there."],
    ["look_up_order", new TypeError(secret), "The tool could not be run."],
  ];
  for (const [name, error, content] of failures) {
    atEndpoint = () => Promise.reject(error);
    atClient = () => Promise.reject(error);
    expect(await box.run(use(name, { order: secret }), context)).toEqual({
      id: "u1",
      content,
      isError: true,
      action: null,
    });
  }
  expect(logged.trim().split("\n")).toHaveLength(4);
  expect(logged).not.toContain(secret);
});

test("an interrupted turn runs nothing", async () => {
  const controller = new AbortController();
  controller.abort();
  const outcome = await of([custom()]).run(use("end_call"), { ...context, signal: controller.signal });
  expect(outcome).toMatchObject({ isError: true, action: null });
});

test("whatever a model calls and with whatever, there is an outcome", async () => {
  const box = of([custom(), custom({ name: "far", endpoint: "https://tools.example/" })]);
  const names = fc.oneof(
    fc.constantFrom("end_call", "set_language", "look_up_order", "far", "__proto__", "constructor", ""),
    fc.string({ unit: "binary" }),
  );
  await fc.assert(
    fc.asyncProperty(names, fc.oneof(fc.anything(), fc.object()), async (name, given) => {
      const outcome = await box.run(use(name, given), context);
      expect(outcome.id).toBe("u1");
      expect(outcome.content.length).toBeGreaterThan(0);
      expect(outcome.content.isWellFormed()).toBe(true);
      if (outcome.isError) expect(outcome.action).toBeNull();
    }),
    { numRuns: 300 },
  );
});
