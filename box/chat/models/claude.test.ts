import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { messagesApiVersion } from "../../../contract/model-offers.ts";
import { collect } from "../../testing/collect.ts";
import { ClaudeModels } from "./claude.ts";
import { textOf } from "../../testing/collect.ts";
import type { ModelRequest } from "./model.ts";

const apiKey = "sk-ant-very-secret";

/** A server that speaks the Messages API's event stream. */
let server: Server;
let answer: (response: ServerResponse, request: IncomingMessage) => void | Promise<void>;
let requests: {
  headers: IncomingMessage["headers"];
  url: string | undefined;
  body: Record<string, unknown>;
}[];
let gone: PromiseWithResolvers<void>;

beforeEach(async () => {
  requests = [];
  gone = Promise.withResolvers();
  server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    requests.push({ headers: request.headers, url: request.url, body: JSON.parse(text) });
    response.once("close", () => gone.resolve());
    await answer(response, request);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
});
afterEach(() => {
  server.closeAllConnections();
  server.close();
});

function event(response: ServerResponse, type: string, data: object): void {
  response.write(`event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`);
}

function begin(response: ServerResponse): void {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  const usage = { input_tokens: 3, output_tokens: 1 };
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    stop_reason: null,
    usage,
  };
  event(response, "message_start", { message });
  event(response, "content_block_start", { index: 0, content_block: { type: "text", text: "" } });
  event(response, "ping", {});
}

function write(response: ServerResponse, text: string): void {
  event(response, "content_block_delta", { index: 0, delta: { type: "text_delta", text } });
}

function end(response: ServerResponse): void {
  event(response, "content_block_stop", { index: 0 });
  event(response, "message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } });
  event(response, "message_stop", {});
  response.end();
}

function refuse(response: ServerResponse, status: number, type: string, headers = {}): void {
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(JSON.stringify({ type: "error", error: { type, message: `no: ${apiKey}` } }));
}

function stream(request: Partial<ModelRequest> = {}, silenceMs = 5_000): AsyncIterable<string> {
  const { port } = server.address() as AddressInfo;
  const models = new ClaudeModels({ apiKey, baseUrl: `http://127.0.0.1:${port}`, silenceMs });
  return textOf(
    models.stream({
      model: "claude-haiku-5-5",
      system: "Be brief.",
      messages: [{ role: "user", content: "Hi" }],
      tools: [],
      parameters: { max_tokens: 64 },
      signal: new AbortController().signal,
      ...request,
    }),
  );
}

/** What was written before the failure, and the failure's words. */
async function failure(source: AsyncIterable<string>): Promise<{ said: string; message: string }> {
  let said = "";
  try {
    for await (const piece of source) said += piece;
  } catch (error) {
    for (let told = error; told instanceof Error; told = told.cause)
      expect(`${told.stack} ${JSON.stringify(told)}`).not.toContain(apiKey);
    return { said, message: (error as Error).message };
  }
  throw new Error(`It did not fail; it said ${said}`);
}

test("text arrives as it is written, and the request is a Messages request", async () => {
  answer = (response) => {
    begin(response);
    for (const piece of ["[warm] Hel", "lo ", "there."]) write(response, piece);
    end(response);
  };
  expect(await collect(stream({ parameters: { max_tokens: 64, temperature: 0.5 } }))).toEqual([
    "[warm] Hel",
    "lo ",
    "there.",
  ]);
  expect(requests).toHaveLength(1);
  expect(requests[0]?.url).toBe("/v1/messages");
  expect(requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
  expect(requests[0]?.body).toEqual({
    model: "claude-haiku-5-5",
    system: "Be brief.",
    messages: [{ role: "user", content: "Hi" }],
    max_tokens: 64,
    stream: true,
    temperature: 0.5,
  });
});

test("effort and thinking go where the Messages API takes them, under the version they were measured with", async () => {
  answer = (response) => {
    begin(response);
    end(response);
  };
  const thinking = { type: "enabled", budget_tokens: 1024 } as const;
  await collect(stream({ parameters: { max_tokens: 1088, effort: "low", thinking } }));
  expect(requests[0]?.body).toMatchObject({ max_tokens: 1088, output_config: { effort: "low" }, thinking });
  expect(requests[0]?.body).not.toHaveProperty("effort");
  expect(requests[0]?.headers["anthropic-version"]).toBe(messagesApiVersion);
});

test("the key is the configured one, whatever else the environment offers the SDK", async () => {
  answer = (response) => {
    begin(response);
    end(response);
  };
  vi.stubEnv("ANTHROPIC_API_KEY", "another");
  vi.stubEnv("ANTHROPIC_AUTH_TOKEN", "a-token");
  try {
    await collect(stream());
  } finally {
    vi.unstubAllEnvs();
  }
  expect(requests[0]?.headers.authorization).toBe(`Bearer ${apiKey}`);
});

test("what failed is known to the log by its kind, not by the upstream's words", async () => {
  answer = (response) => refuse(response, 401, "authentication_error", { "request-id": "req_7" });
  const error = await collect(stream()).catch((caught: Error) => caught);
  expect(error).toMatchObject({ cause: { message: "401, authentication_error, request req_7" } });
});

test("an abort hangs up", async () => {
  answer = (response) => {
    begin(response);
    write(response, "One. ");
  };
  const controller = new AbortController();
  const said: string[] = [];
  for await (const piece of stream({ signal: controller.signal })) {
    said.push(piece);
    controller.abort();
  }
  expect(said).toEqual(["One. "]);
  await gone.promise;
});

test.each([
  [401, "authentication_error", "credentials"],
  [404, "not_found_error", "does not exist"],
  [400, "invalid_request_error", "failed"],
])("a %s is a failure that says which", async (status, type, sentence) => {
  answer = (response) => refuse(response, status, type);
  expect(await failure(stream())).toMatchObject({ said: "", message: expect.stringContaining(sentence) });
  expect(requests).toHaveLength(1);
});

test.each([
  [429, "rate_limit_error", "no more requests"],
  [529, "overloaded_error", "overloaded"],
])("a %s is tried again, and then given up", async (status, type, sentence) => {
  answer = (response) => refuse(response, status, type, { "retry-after-ms": "1" });
  expect((await failure(stream())).message).toContain(sentence);
  expect(requests).toHaveLength(3);
  answer = (response) => {
    if (requests.length === 4) return refuse(response, status, type, { "retry-after-ms": "1" });
    begin(response);
    write(response, "Back.");
    return end(response);
  };
  expect(await collect(stream())).toEqual(["Back."]);
});

test("an error event in the middle ends the reply after its first words", async () => {
  answer = (response) => {
    begin(response);
    write(response, "One.");
    event(response, "error", { error: { type: "overloaded_error", message: `Overloaded ${apiKey}` } });
    response.end();
  };
  expect(await failure(stream())).toEqual({ said: "One.", message: expect.stringContaining("overloaded") });
});

test("a connection that breaks or closes in the middle is a failure", async () => {
  answer = (response) => {
    begin(response);
    write(response, "One.");
    setImmediate(() => response.destroy());
  };
  expect((await failure(stream())).said).toBe("One.");
  answer = (response) => {
    begin(response);
    write(response, "Two.");
    response.end();
  };
  expect(await failure(stream())).toEqual({
    said: "Two.",
    message: expect.stringContaining("in the middle"),
  });
});

test("a model that falls silent is given up", async () => {
  answer = (response) => begin(response);
  expect((await failure(stream({}, 50))).message).toContain("too long");
});

test("a server that is not there", async () => {
  const models = new ClaudeModels({ apiKey, baseUrl: "http://127.0.0.1:9", silenceMs: 10_000 });
  const request = { model: "m", system: "", messages: [], tools: [], parameters: { max_tokens: 1 } };
  const { message } = await failure(
    textOf(models.stream({ ...request, signal: new AbortController().signal })),
  );
  expect(message).toContain("could not be reached");
});
