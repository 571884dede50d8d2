import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { messagesApiVersion } from "../../../contract/model-offers.ts";
import { collect, textOf } from "../../testing/collect.ts";
import { calls, FakeMessagesApi, says } from "../../testing/fake-messages-api.ts";
import { failureOf, modelRequest } from "../../testing/model-replies.ts";
import { clausesOf } from "../speech.ts";
import { ClaudeModels, type ClaudeOptions } from "./claude.ts";
import type { ModelMessage, ModelPiece, ModelRequest, ModelTool } from "./model.ts";

const apiKey = "sk-ant-very-secret";

let api: FakeMessagesApi;
beforeEach(async () => {
  api = await FakeMessagesApi.open();
});
afterEach(() => api.close());

const pieces = (request: Partial<ModelRequest> = {}, options: Partial<ClaudeOptions> = {}) =>
  new ClaudeModels({ apiKey, baseUrl: api.url, ...options }).stream(modelRequest(request));
const words = (...of: Parameters<typeof pieces>) => textOf(pieces(...of));
const failure = (source: AsyncIterable<ModelPiece>) => failureOf(source, apiKey);

const clock: ModelTool = {
  name: "clock",
  description: "Tells the time.",
  parameters: { type: "object", properties: { city: { type: "string" } } },
};

describe("words", () => {
  test("arrive as they are written, and the request is a Messages request", async () => {
    api.answer = says("[warm] Hel", "lo ", "there.");
    const parameters = { max_tokens: 64, temperature: 0.5 };
    expect(await collect(words({ parameters }))).toEqual(["[warm] Hel", "lo ", "there."]);
    expect(api.requests).toHaveLength(1);
    expect(api.requests[0]?.path).toBe("/v1/messages");
    expect(api.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
    const ephemeral = { cache_control: { type: "ephemeral" } };
    expect(api.requests[0]?.body).toEqual({
      model: "claude-haiku-5-5",
      system: [{ type: "text", text: "Be brief.", ...ephemeral }],
      messages: [{ role: "user", content: [{ type: "text", text: "Hi", ...ephemeral }] }],
      max_tokens: 64,
      stream: true,
      temperature: 0.5,
    });
  });

  test("are not what the model thinks, nor empty blocks", async () => {
    api.answer = (reply) =>
      reply
        .begin()
        .thinking("Let me think about that.", "c2ln")
        .redactedThinking("b3BhcXVl")
        .text()
        .text("", "Yes.")
        .end();
    expect(await collect(pieces())).toEqual([{ case: "text", text: "Yes." }]);
  });

  test("may be none at all", async () => {
    api.answer = (reply) => reply.begin().end();
    expect(await collect(pieces())).toEqual([]);
  });

  test("that the ceiling cut off are kept", async () => {
    api.answer = (reply) => reply.begin().text("One, two, th").end("max_tokens");
    expect(await collect(words())).toEqual(["One, two, th"]);
  });

  test.each([
    ["refusal", "declined"],
    ["max_tokens", "limit"],
    ["model_context_window_exceeded", "too long"],
  ])("a stop by %s before any of them says why", async (reason, sentence) => {
    api.answer = (reply) => reply.begin().end(reason);
    expect((await failure(pieces())).message).toContain(sentence);
    expect(api.requests).toHaveLength(1);
  });

  test("a reply that pauses goes on where it was", async () => {
    api.script((reply) => reply.begin().text("One. ").end("pause_turn"));
    api.answer = says("Two.");
    expect(await collect(words())).toEqual(["One. ", "Two."]);
    expect(api.requests[1]?.body.messages).toMatchObject([
      { role: "user" },
      { role: "assistant", content: [{ type: "text", text: "One. " }] },
    ]);
  });
});

test("effort and thinking go where the Messages API takes them, under the version they were measured with", async () => {
  const thinking = { type: "enabled", budget_tokens: 1024 } as const;
  await collect(pieces({ parameters: { max_tokens: 1088, effort: "low", thinking }, tools: [clock] }));
  expect(api.requests[0]?.body).toMatchObject({
    max_tokens: 1088,
    output_config: { effort: "low" },
    thinking,
  });
  expect(api.requests[0]?.body).not.toHaveProperty("effort");
  // Thinking forbids a forced choice of tool.
  expect(api.requests[0]?.body).not.toHaveProperty("tool_choice");
  expect(api.requests[0]?.headers["anthropic-version"]).toBe(messagesApiVersion);
});

test("the key is the configured one, whatever else the environment offers the SDK", async () => {
  vi.stubEnv("ANTHROPIC_API_KEY", "another");
  vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "a-token");
  try {
    await collect(pieces());
  } finally {
    vi.unstubAllEnvs();
  }
  expect(api.requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
});

describe("tools", () => {
  test("are offered by name, description and schema, and a call is put together from its pieces", async () => {
    api.answer = (reply) =>
      reply
        .begin()
        .text("Let me look.")
        .toolUse({ id: "toolu_1", name: "clock", input: ['{"ci', 'ty": "Pa', 'ris"}'] })
        .toolUse({ id: "toolu_2", name: "clock", input: [] })
        .end("tool_use");
    expect(await collect(pieces({ tools: [clock] }))).toEqual([
      { case: "text", text: "Let me look." },
      // The words end here for whoever cuts clauses: they need not wait for the arguments.
      { case: "text", text: "\n" },
      { case: "tool_use", use: { id: "toolu_1", name: "clock", arguments: { city: "Paris" } } },
      { case: "tool_use", use: { id: "toolu_2", name: "clock", arguments: {} } },
      { case: "carry", carry: expect.anything() },
    ]);
    expect(api.requests[0]?.body.tools).toEqual([
      { name: "clock", description: "Tells the time.", input_schema: clock.parameters },
    ]);
  });

  test("words before a call are spoken while its arguments are still being written", async () => {
    const hold = Promise.withResolvers<void>();
    api.answer = async (reply) => {
      reply.begin().text("One moment.").open({ type: "tool_use", id: "toolu_1", name: "clock", input: {} });
      await hold.promise;
      reply.stop().end("tool_use");
    };
    const said: string[] = [];
    for await (const clause of clausesOf(words({ tools: [clock] }), { emotion: true })) {
      said.push(clause.text);
      hold.resolve();
    }
    expect(said).toEqual(["One moment."]);
  });

  test("words of two blocks do not run into each other", async () => {
    api.answer = (reply) => reply.begin().text("One.").thinking("Hm.", "c2ln").text("Two.").end();
    expect((await collect(words())).join("")).toBe("One.\nTwo.");
  });

  test("a reply may be nothing but a call", async () => {
    api.answer = calls("clock", { city: "Rome" });
    expect((await collect(pieces({ tools: [clock] }))).map((piece) => piece.case)).toEqual([
      "tool_use",
      "carry",
    ]);
  });

  test("what came with a call goes back unchanged with its result, thoughts and signatures included", async () => {
    api.script((reply) =>
      reply
        .begin()
        .thinking("They want the time.", "c2lnbmVk")
        .redactedThinking("b3BhcXVl")
        .text()
        .text("One moment.")
        .toolUse({ id: "toolu_1", name: "clock", input: { city: "Paris" } })
        .end("tool_use"),
    );
    let carry: unknown;
    const toolUses = [];
    for await (const piece of pieces({ tools: [clock] })) {
      if (piece.case === "carry") carry = piece.carry;
      if (piece.case === "tool_use") toolUses.push(piece.use);
    }
    await collect(
      pieces({
        tools: [clock],
        messages: [
          { role: "user", content: "What time is it?" },
          { role: "assistant", content: "One moment.", toolUses, carry },
          { role: "tool", results: [{ id: "toolu_1", content: "Noon.", isError: false }] },
        ],
      }),
    );
    const ephemeral = { cache_control: { type: "ephemeral" } };
    expect(api.requests[1]?.body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "What time is it?" }] },
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking: "They want the time.", signature: "c2lnbmVk" },
          { type: "redacted_thinking", data: "b3BhcXVl" },
          { type: "text", text: "One moment." },
          { type: "tool_use", id: "toolu_1", name: "clock", input: { city: "Paris" } },
        ],
      },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "Noon.", ...ephemeral }],
      },
    ]);
  });

  test("every call has a result, and every result a call, whatever became of the turn", async () => {
    const use = (id: string) => ({ id, name: "clock", arguments: {} });
    const messages: ModelMessage[] = [
      { role: "user", content: "Time?" },
      { role: "assistant", content: "", toolUses: [use("a"), use("b")] },
      {
        role: "tool",
        results: [
          { id: "b", content: "It broke.", isError: true },
          { id: "z", content: "Whose?", isError: false },
        ],
      },
      { role: "assistant", content: "Hm.", toolUses: [use("c")] },
      { role: "assistant", content: "Hm!", toolUses: [use("d")] },
      { role: "user", content: "Well?" },
    ];
    await collect(pieces({ tools: [clock], messages }));
    const missing = { content: "This tool was not run.", is_error: true };
    const result = (id: string, of: object) => ({ type: "tool_result", tool_use_id: id, ...of });
    expect(api.requests[0]?.body.messages).toMatchObject([
      { content: [{ text: "Time?" }] },
      { role: "assistant", content: [{ id: "a" }, { id: "b" }] },
      {
        role: "user",
        content: [result("a", missing), result("b", { content: "It broke.", is_error: true })],
      },
      { role: "assistant", content: [{ text: "Hm." }, { id: "c" }] },
      { role: "user", content: [result("c", missing)] },
      { role: "assistant", content: [{ text: "Hm!" }, { id: "d" }] },
      { role: "user", content: [result("d", missing), { text: "Well?" }] },
    ]);
  });

  test.each([
    ["no JSON", ['{"city": '], "tool_use"],
    ["no object", ['["Paris"]'], "tool_use"],
    ["garbage at a proper end", ["nonsense"], "end_turn"],
  ])("a call with %s for arguments is a failure, not a call without", async (_, input, reason) => {
    api.answer = (reply) =>
      reply.begin().text("So. ").toolUse({ id: "toolu_1", name: "clock", input }).end(reason);
    expect(await failure(pieces({ tools: [clock] }))).toEqual({
      said: "So. \n",
      message: expect.stringContaining("cannot be understood"),
    });
  });

  test("a call that the ceiling cut off is none, and the words before it are kept", async () => {
    api.answer = (reply) =>
      reply
        .begin()
        .text("So. ")
        .toolUse({ id: "t", name: "clock", input: ['{"ci'] })
        .end("max_tokens");
    expect(await collect(words({ tools: [clock] }))).toEqual(["So. ", "\n"]);
  });
});
