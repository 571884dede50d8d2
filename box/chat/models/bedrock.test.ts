import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { bedrockApiVersion } from "../../../contract/model-offers.ts";
import { collect } from "../../testing/collect.ts";
import { FakeMessagesApi, says, type FakeReply } from "../../testing/fake-messages-api.ts";
import { failureOf, modelRequest } from "../../testing/model-replies.ts";
import { BedrockModels } from "./bedrock.ts";
import type { ModelPiece, ModelRequest } from "./model.ts";

const secretKey = "wJalr-very-secret";
const model = "au.anthropic.claude-sonnet-4-5-20250929-v1:0";

let api: FakeMessagesApi;
beforeEach(async () => {
  api = await FakeMessagesApi.open("eventstream");
  for (const name of ["AWS_BEARER_TOKEN_BEDROCK", "AWS_PROFILE", "AWS_SESSION_TOKEN"])
    vi.stubEnv(name, undefined);
  vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIAEXAMPLE");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", secretKey);
  // What else the machine may know of AWS is not to be asked.
  vi.stubEnv("AWS_EC2_METADATA_DISABLED", "true");
  vi.stubEnv("AWS_CONFIG_FILE", "/nowhere/config");
  vi.stubEnv("AWS_SHARED_CREDENTIALS_FILE", "/nowhere/credentials");
  vi.stubEnv("ANTHROPIC_API_KEY", "another-hosts-key");
  vi.stubEnv("ANTHROPIC_BEDROCK_BASE_URL", "http://127.0.0.1:9");
});
afterEach(() => {
  vi.unstubAllEnvs();
  api.close();
});

const pieces = (request: Partial<ModelRequest> = {}, silenceMs = 5_000) =>
  new BedrockModels({ region: "ap-southeast-2", url: api.url, silenceMs }).stream(
    modelRequest({ model, ...request }),
  );
const failure = (source: AsyncIterable<ModelPiece>) => failureOf(source, secretKey);

test("words and calls arrive in Amazon's frames, and the request is a signed one of Bedrock", async () => {
  api.answer = (reply) =>
    reply
      .begin()
      .ping()
      .thinking("They greet.", "c2ln")
      .text("Hel", "lo — नमस्ते.")
      .toolUse({ id: "toolu_1", name: "clock", input: { city: "Sydney" } })
      .end("tool_use");
  const tools = [{ name: "clock", description: "Tells the time.", parameters: { type: "object" } }];
  expect(await collect(pieces({ tools, parameters: { max_tokens: 64, effort: "low" } }))).toEqual([
    { case: "text", text: "Hel" },
    { case: "text", text: "lo — नमस्ते." },
    { case: "text", text: "\n" },
    { case: "tool_use", use: { id: "toolu_1", name: "clock", arguments: { city: "Sydney" } } },
    { case: "carry", carry: expect.anything() },
  ]);
  const [request] = api.requests;
  expect(decodeURIComponent(request?.path ?? "")).toBe(`/model/${model}/invoke-with-response-stream`);
  expect(request?.headers.authorization).toMatch(
    /^AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE\/\d{8}\/ap-southeast-2\/bedrock\/aws4_request/,
  );
  expect(JSON.stringify(request)).not.toContain(secretKey);
  expect(JSON.stringify(request)).not.toContain("another-hosts-key");
  expect(request?.body).toMatchObject({
    anthropic_version: bedrockApiVersion,
    max_tokens: 64,
    output_config: { effort: "low" },
    tools: [{ name: "clock", input_schema: { type: "object" } }],
    messages: [{ role: "user" }],
  });
  expect(request?.body).not.toHaveProperty("model");
  expect(request?.body).not.toHaveProperty("stream");
});

test("a key of Bedrock's own goes before signed requests", async () => {
  vi.stubEnv("AWS_BEARER_TOKEN_BEDROCK", "bedrock-key");
  await collect(pieces());
  expect(api.requests[0]?.headers.authorization).toBe("Bearer bedrock-key");
});

test("without credentials it says so", async () => {
  vi.stubEnv("AWS_ACCESS_KEY_ID", undefined);
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", undefined);
  vi.stubEnv("HOME", "/nowhere");
  expect((await failure(pieces())).message).toBe("This box has no credentials for the model.");
  expect(api.requests).toHaveLength(0);
});

test.each([
  ["throttlingException", "no more requests"],
  ["serviceUnavailableException", "overloaded"],
  ["modelTimeoutException", "too long"],
  ["internalServerException", "failed"],
])(
  "%s in the stream: before the first words it is tried again, after them it ends the reply",
  async (kind, sentence) => {
    api.script((reply: FakeReply) => void reply.begin().error(kind, secretKey).close());
    api.answer = says("Hello.");
    expect(await collect(pieces())).toEqual([{ case: "text", text: "Hello." }]);
    api.answer = (reply) => void reply.begin().text("One.").error(kind, secretKey).close();
    expect(await failure(pieces())).toEqual({ said: "One.", message: expect.stringContaining(sentence) });
    expect(api.requests).toHaveLength(3);
  },
);

test.each([
  [403, "AccessDeniedException", "credentials", 1],
  [404, "ResourceNotFoundException", "does not exist", 1],
  [429, "ThrottlingException", "no more requests", 3],
])("a %s is one that says which", async (status, type, sentence, requests) => {
  api.answer = (reply) =>
    reply.refuse(status, type, { message: secretKey, headers: { "retry-after-ms": "1" } });
  expect((await failure(pieces())).message).toContain(sentence);
  expect(api.requests).toHaveLength(requests);
});

test.each<[string, (reply: FakeReply) => void]>([
  ["closes", (reply) => reply.close()],
  ["breaks", (reply) => reply.drop()],
])("a connection that %s in the middle", async (_, end) => {
  api.answer = (reply) => end(reply.begin().text("One."));
  expect(await failure(pieces())).toEqual({
    said: "One.",
    message: "The model stopped in the middle of its reply.",
  });
});

test("silence is not waited for, and an abort hangs up", async () => {
  const closed: Promise<void>[] = [];
  api.answer = (reply) => {
    closed.push(reply.closed);
    reply.begin().text("One.");
  };
  expect(await failure(pieces({}, 400))).toEqual({
    said: "One.",
    message: expect.stringContaining("too long"),
  });
  const controller = new AbortController();
  for await (const _ of pieces({ signal: controller.signal })) controller.abort();
  await Promise.all(closed);
  expect(closed).toHaveLength(2);
});
