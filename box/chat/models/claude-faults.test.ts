// Claude on a bad day: refusals, broken streams, silence, and callers who hang up.

import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { collect, textOf } from "../../testing/collect.ts";
import { FakeMessagesApi, says, type FakeReply } from "../../testing/fake-messages-api.ts";
import { failureOf, modelRequest } from "../../testing/model-replies.ts";
import { ClaudeModels, type ClaudeOptions } from "./claude.ts";
import type { ModelPiece, ModelRequest } from "./model.ts";

const apiKey = "sk-ant-very-secret";
const secretly = { message: `no: ${apiKey}` };

let api: FakeMessagesApi;
beforeEach(async () => {
  api = await FakeMessagesApi.open();
});
afterEach(() => api.close());

const pieces = (request: Partial<ModelRequest> = {}, options: Partial<ClaudeOptions> = {}) =>
  new ClaudeModels({ apiKey, baseUrl: api.url, ...options }).stream(modelRequest(request));
const words = (...of: Parameters<typeof pieces>) => textOf(pieces(...of));
const failure = (source: AsyncIterable<ModelPiece>) => failureOf(source, apiKey);

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
    ["429", "3600", "no more requests"],
    ["529", new Date(Date.now() + 3_600_000).toUTCString(), "overloaded"],
  ])("a %s that asks for an hour is given up at once", async (status, wait, sentence) => {
    api.answer = (reply) =>
      reply.refuse(Number(status), "error", { ...secretly, headers: { "retry-after": wait } });
    expect((await failure(pieces())).message).toContain(sentence);
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
    expect((await failure(pieces())).said).toBe("Three.\n");
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
