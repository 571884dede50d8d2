import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { messagesApiVersion } from "../../../contract/model-offers.ts";
import { collect, textOf } from "../../testing/collect.ts";
import { calls, FakeMessagesApi, says, type FakeReply } from "../../testing/fake-messages-api.ts";
import { ClaudeModels, type ClaudeOptions } from "./claude.ts";
import type { ModelMessage, ModelPiece, ModelRequest, ModelTool } from "./model.ts";

const apiKey = "sk-ant-very-secret";
const secretly = { message: `no: ${apiKey}` };

let api: FakeMessagesApi;
beforeEach(async () => {
  api = await FakeMessagesApi.open();
});
afterEach(() => api.close());

function pieces(
  request: Partial<ModelRequest> = {},
  options: Partial<ClaudeOptions> = {},
): AsyncIterable<ModelPiece> {
  return new ClaudeModels({ apiKey, baseUrl: api.url, ...options }).stream({
    model: "claude-haiku-5-5",
    system: "Be brief.",
    messages: [{ role: "user", content: "Hi" }],
    tools: [],
    parameters: { max_tokens: 64 },
    signal: new AbortController().signal,
    ...request,
  });
}

const words = (...of: Parameters<typeof pieces>) => textOf(pieces(...of));

/** What was written before the failure, and the failure's words. */
async function failure(source: AsyncIterable<ModelPiece>): Promise<{ said: string; message: string }> {
  let said = "";
  try {
    for await (const piece of source) said += piece.case === "text" ? piece.text : `<${piece.case}>`;
  } catch (error) {
    for (let told = error; told instanceof Error; told = told.cause)
      expect(`${told.stack} ${JSON.stringify(told)}`).not.toContain(apiKey);
    return { said, message: (error as Error).message };
  }
  throw new Error(`It did not fail; it said ${said}`);
}

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
      { case: "tool_use", use: { id: "toolu_1", name: "clock", arguments: { city: "Paris" } } },
      { case: "tool_use", use: { id: "toolu_2", name: "clock", arguments: {} } },
      { case: "carry", carry: expect.anything() },
    ]);
    expect(api.requests[0]?.body.tools).toEqual([
      { name: "clock", description: "Tells the time.", input_schema: clock.parameters },
    ]);
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
      { role: "user", content: [result("c", missing), { text: "Well?" }] },
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
      said: "So. ",
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
    expect(await collect(pieces({ tools: [clock] }))).toEqual([{ case: "text", text: "So. " }]);
  });
});

describe("failures", () => {
  test("are known to the log by their kind, not by the upstream's words", async () => {
    api.answer = (reply) =>
      reply.refuse(401, "authentication_error", { ...secretly, headers: { "request-id": "req_7" } });
    const error = await collect(pieces()).catch((caught: Error) => caught);
    expect(error).toMatchObject({ cause: { message: "401, authentication_error, request req_7" } });
    api.answer = (reply) => void reply.begin().error(`leaks ${apiKey}`);
    expect(await collect(pieces()).catch((caught: Error) => caught)).toMatchObject({
      message: "The model failed.",
      cause: { message: "request req_2" },
    });
  });

  test.each([
    [401, "authentication_error", "credentials"],
    [403, "permission_error", "credentials"],
    [404, "not_found_error", "does not exist"],
    [413, "request_too_large", "too long"],
    [400, "invalid_request_error", "failed"],
  ])("a %s is one that says which", async (status, type, sentence) => {
    api.answer = (reply) => reply.refuse(status, type, secretly);
    expect(await failure(pieces())).toMatchObject({ said: "", message: expect.stringContaining(sentence) });
    expect(api.requests).toHaveLength(1);
  });

  test.each([
    [429, "rate_limit_error", "no more requests"],
    [529, "overloaded_error", "overloaded"],
    [500, "api_error", "failed"],
  ])("a %s is tried again, and then given up", async (status, type, sentence) => {
    const refusal = (reply: FakeReply) =>
      reply.refuse(status, type, { ...secretly, headers: { "retry-after-ms": "1" } });
    api.answer = refusal;
    expect((await failure(pieces())).message).toContain(sentence);
    expect(api.requests).toHaveLength(3);
    api.script(refusal);
    api.answer = says("Back.");
    expect(await collect(words())).toEqual(["Back."]);
  });

  test.each([
    ["429", "3600"],
    ["529", new Date(Date.now() + 3_600_000).toUTCString()],
  ])("a %s that asks for an hour is given up at once", async (status, wait) => {
    api.answer = (reply) =>
      reply.refuse(Number(status), "rate_limit_error", { ...secretly, headers: { "retry-after": wait } });
    await failure(pieces());
    expect(api.requests).toHaveLength(1);
  });

  test("an error event after the first words ends the reply there, and nothing is said twice", async () => {
    api.answer = (reply) => {
      reply.begin().text("One.").error("overloaded_error", apiKey).close();
    };
    expect(await failure(pieces())).toEqual({ said: "One.", message: expect.stringContaining("overloaded") });
    expect(api.requests).toHaveLength(1);
  });

  test.each<[string, (reply: FakeReply) => void, string]>([
    ["an error event", (reply) => void reply.error("overloaded_error").close(), "overloaded"],
    ["a connection that closes", (reply) => reply.close(), "in the middle"],
    ["a connection that breaks", (reply) => reply.drop(), "in the middle"],
  ])("%s before the first words is tried again, and then given up", async (_, trouble, sentence) => {
    const troubled = (reply: FakeReply) => trouble(reply.begin().thinking("Hm.", "c2ln"));
    api.script(troubled);
    api.answer = says("Hello.");
    expect(await collect(words())).toEqual(["Hello."]);
    api.answer = troubled;
    expect(await failure(pieces())).toMatchObject({ said: "", message: expect.stringContaining(sentence) });
    expect(api.requests).toHaveLength(5);
  });

  test("a connection that breaks or closes after the first words", async () => {
    api.answer = (reply) => reply.begin().text("One.").drop();
    expect((await failure(pieces())).said).toBe("One.");
    api.answer = (reply) => reply.begin().text("Two.").close();
    expect(await failure(pieces())).toEqual({
      said: "Two.",
      message: expect.stringContaining("in the middle"),
    });
    // A call that was not followed by the end of its reply was not meant, as far as anybody knows.
    api.answer = (reply) =>
      reply.begin().text("Three.").toolUse({ id: "t", name: "clock", input: {} }).close();
    expect((await failure(pieces())).said).toBe("Three.");
    expect(api.requests).toHaveLength(3);
  });

  test.each([["{half"], ["7"], ["null"], ['{"type":"content_block_delta","index":0}']])(
    "an event that is %s",
    async (data) => {
      api.answer = (reply) => reply.begin().text("One.").raw("content_block_delta", data).end();
      expect(await failure(pieces())).toEqual({
        said: "One.",
        message: "The model's answer could not be understood.",
      });
    },
  );

  test("events nobody has heard of are passed over", async () => {
    api.answer = (reply) => {
      reply.begin().event("weather", { sun: true }).open({ type: "crystal", ball: 1 });
      reply.more("It will rain.").stop().text("Hello.").end();
    };
    expect(await collect(words())).toEqual(["Hello."]);
  });

  test("a server that is not there", async () => {
    const { message } = await failure(pieces({}, { baseUrl: "http://127.0.0.1:9" }));
    expect(message).toContain("could not be reached");
  });
});

describe("patience", () => {
  const tooLong = expect.stringContaining("too long");

  test.each<[string, string, (reply: FakeReply) => void]>([
    ["says nothing at all", "", () => undefined],
    ["falls silent after its headers", "", (reply) => void reply.begin()],
    ["falls silent after a few words", "One.", (reply) => void reply.begin().text("One.")],
  ])("a model that %s is given up, and its connection closed", async (_, said, answer) => {
    const closed = Promise.withResolvers<void>();
    api.answer = (reply) => {
      answer(reply);
      void reply.closed.then(closed.resolve);
    };
    expect(await failure(pieces({}, { silenceMs: 400 }))).toEqual({ said, message: tooLong });
    await closed.promise;
  });

  test("a model that only shows that it lives is given up later", async () => {
    let pings: NodeJS.Timeout | undefined;
    api.answer = (reply) => {
      reply.begin();
      pings = setInterval(() => reply.ping(), 5);
      void reply.closed.then(() => clearInterval(pings));
    };
    expect(await failure(pieces({}, { silenceMs: 5_000, standstillMs: 80 }))).toEqual({
      said: "",
      message: tooLong,
    });
  });

  test("thoughts keep it waiting, for longer than silence would", async () => {
    api.answer = async (reply) => {
      reply.begin().open({ type: "thinking", thinking: "", signature: "" });
      for (let thought = 0; thought < 12; thought++) {
        reply.event("content_block_delta", { index: 0, delta: { type: "thinking_delta", thinking: "…" } });
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      reply.stop().text("Yes.").end();
    };
    // More than a second of thought, with no more than a second allowed between two.
    expect(await collect(words({}, { silenceMs: 1_000, standstillMs: 1_000 }))).toEqual(["Yes."]);
  });

  test("nothing runs out while the words are not taken", async () => {
    api.answer = says("One. ", "Two.");
    const said: string[] = [];
    for await (const piece of words({}, { silenceMs: 1_000, standstillMs: 1_000 })) {
      said.push(piece);
      await new Promise((resolve) => setTimeout(resolve, 1_300));
    }
    expect(said).toEqual(["One. ", "Two."]);
  });
});

describe("an abort", () => {
  test.each(["an abort", "nobody listening any more"])("%s hangs up at once", async (way) => {
    const closed = Promise.withResolvers<void>();
    api.answer = (reply) => {
      reply.begin().open({ type: "text", text: "" }).more("One. ");
      void reply.closed.then(closed.resolve);
    };
    const controller = new AbortController();
    const said: string[] = [];
    for await (const piece of words({ signal: controller.signal })) {
      said.push(piece);
      if (way !== "an abort") break;
      controller.abort();
    }
    expect(said).toEqual(["One. "]);
    await closed.promise;
  });

  test("ends a wait for the first word and one for the next try", async () => {
    const controller = new AbortController();
    api.answer = () => controller.abort();
    expect(await collect(pieces({ signal: controller.signal }))).toEqual([]);
    const second = new AbortController();
    api.answer = (reply) => {
      reply.refuse(429, "rate_limit_error", { headers: { "retry-after": "9" } });
      void reply.closed.then(() => second.abort());
    };
    expect(await collect(pieces({ signal: second.signal }))).toEqual([]);
    expect(api.requests).toHaveLength(2);
    expect(await collect(pieces({ signal: AbortSignal.abort() }))).toEqual([]);
    expect(api.requests).toHaveLength(2);
  });
});
