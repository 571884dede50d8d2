import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { modelCatalogue } from "../../../contract/model-catalogue.ts";
import { modelStatusSchema } from "../../../contract/models.ts";
import { FakeMessagesApi } from "../../testing/fake-messages-api.ts";
import { FakeModel } from "../../testing/fake-model.ts";
import { startTestBox } from "../../testing/test-box.ts";
import { BedrockModels } from "./bedrock.ts";
import { ClaudeModels } from "./claude.ts";
import type { ModelProvider } from "./model.ts";
import { Models } from "./models.ts";
import { ModelReadinesses } from "./readiness.ts";

const apiKey = "sk-ant-very-secret";
const model = "claude-haiku-5-5";

let api: FakeMessagesApi;
let clock: { nowMs: number };
let readiness: ModelReadinesses;

function open({ optIn = ["global" as const], waitMs = 20_000 } = {}): ModelReadinesses {
  const claude = new ClaudeModels({ apiKey, baseUrl: api.url });
  const providers = new Map<string, ModelProvider>([
    ["anthropic", claude],
    ["builtin", new FakeModel()],
  ]);
  return new ModelReadinesses({
    catalogue: modelCatalogue({ anthropic: true, residencyOptIn: optIn }),
    providerOf: ({ provider }) => providers.get(provider) ?? null,
    nowMs: () => clock.nowMs,
    waitMs,
  });
}

beforeEach(async () => {
  api = await FakeMessagesApi.open();
  api.answer = (reply) => reply.whole("ok");
  clock = { nowMs: 1_000_000_000 };
  readiness = open();
});

afterEach(async () => {
  readiness.close();
  await api.close();
});

test("a model nobody asked is unknown, and saying so calls nobody", () => {
  expect(readiness.status(model)).toEqual({ ok: true, model, state: "unknown", reason: "Not probed yet." });
  expect(api.requests).toEqual([]);
});

test("warming is one request of one token, and then the model is ready for a day", async () => {
  expect(await readiness.warm(model)).toEqual({ ok: true, model, state: "ready", reason: "" });
  expect(api.requests.map(({ body }) => body)).toEqual([
    { model, max_tokens: 1, messages: [{ role: "user", content: "Say ok." }] },
  ]);
  clock.nowMs += 24 * 3600 * 1000 - 1;
  await readiness.warm(model);
  expect(api.requests).toHaveLength(1);
  clock.nowMs += 1;
  expect(readiness.status(model)).toMatchObject({ state: "unknown" });
  expect(await readiness.warm(model)).toMatchObject({ state: "ready" });
  expect(api.requests).toHaveLength(2);
});

test("fifty at once make one request, and all are told to come back while it lasts", async () => {
  readiness.close();
  readiness = open({ waitMs: 1 });
  const asked = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  api.answer = async (reply) => {
    asked.resolve();
    await held.promise;
    reply.whole("ok");
  };
  const answers = await Promise.all(Array.from({ length: 50 }, () => readiness.warm(model)));
  for (const answer of answers)
    expect(answer).toEqual({ ok: true, model, state: "enabling", reason: "", poll_after_seconds: 2 });
  await asked.promise;
  expect(api.requests).toHaveLength(1);
  held.resolve();
  await expect.poll(() => readiness.status(model).state).toBe("ready");
});

describe("a model that does not answer", () => {
  test.each([
    [401, "authentication_error", "credentials"],
    [404, "not_found_error", "does not exist"],
    [429, "rate_limit_error", "no more requests"],
    [529, "overloaded_error", "overloaded"],
  ])("%i is unavailable, in our words, and asked once", async (status, type, words) => {
    api.answer = (reply) => reply.refuse(status, type, { message: `no: ${apiKey}` });
    const answer = await readiness.warm(model);
    expect(answer).toMatchObject({ ok: false, state: "unavailable", reason: expect.stringContaining(words) });
    expect(JSON.stringify(answer)).not.toContain(apiKey);
    expect(answer).not.toHaveProperty("poll_after_seconds");
    expect(api.requests).toHaveLength(1);
  });

  test("is asked again after 30 s, and not before", async () => {
    api.answer = (reply) => reply.refuse(529, "overloaded_error");
    await readiness.warm(model);
    clock.nowMs += 29_999;
    await readiness.warm(model);
    expect(api.requests).toHaveLength(1);
    clock.nowMs += 1;
    api.answer = (reply) => reply.whole("ok");
    expect(await readiness.warm(model)).toMatchObject({ state: "ready" });
    expect(api.requests).toHaveLength(2);
  });
});

test("a model refused on residency is never asked", async () => {
  readiness.close();
  readiness = open({ optIn: [] });
  expect(await readiness.warm(model)).toMatchObject({
    ok: false,
    state: "unavailable",
    reason: expect.stringContaining("outside its region"),
  });
  expect(api.requests).toEqual([]);
});

test("what is built in is ready and asks nobody", async () => {
  expect(await readiness.warm("rehearsal")).toEqual({
    ok: true,
    model: "rehearsal",
    state: "ready",
    reason: "",
  });
});

test("closing hangs up on whoever is asked, and asks nobody more", async () => {
  const asked = Promise.withResolvers<{ closed: Promise<void> }>();
  api.answer = (reply) => asked.resolve(reply);
  const warming = readiness.warm(model);
  const { closed } = await asked.promise;
  readiness.close();
  await closed;
  expect(await warming).toMatchObject({ state: "unavailable" });
  clock.nowMs += 60_000;
  await readiness.warm(model);
  expect(api.requests).toHaveLength(1);
});

test("Bedrock is asked the same way", async () => {
  process.env.AWS_ACCESS_KEY_ID = "AKIATEST";
  process.env.AWS_SECRET_ACCESS_KEY = "secret-of-the-test";
  const bedrock = new BedrockModels({ region: "ap-southeast-2", url: api.url });
  await bedrock.probe("au.anthropic.claude-haiku-5-5", new AbortController().signal);
  expect(api.requests[0]?.path).toContain("/invoke");
  expect(api.requests[0]?.body).toMatchObject({ max_tokens: 1 });
  delete process.env.AWS_ACCESS_KEY_ID;
  delete process.env.AWS_SECRET_ACCESS_KEY;
});

describe("over HTTP", () => {
  test("the two routes answer in the contract's shape, with any id in the path", async () => {
    const box = await startTestBox();
    try {
      const warmed = await box.ask("/api/models/rehearsal/warm", { method: "POST" });
      expect(warmed.status).toBe(200);
      expect(modelStatusSchema.parse(await warmed.json())).toMatchObject({ ok: true, state: "ready" });
      const status = await box.ask("/api/models/rehearsal/status");
      expect(modelStatusSchema.parse(await status.json()).model).toBe("rehearsal");
      const id = encodeURIComponent("au.anthropic.claude-x-20250929-v1:0/..");
      const unknown = await box.ask(`/api/models/${id}/status`);
      expect(unknown.status).toBe(404);
      expect(await unknown.json()).toEqual({ error: { code: "not_found", message: expect.any(String) } });
      expect((await box.ask("/api/models/rehearsal/warm")).status).toBe(405);
    } finally {
      await box.close();
    }
  });

  test("a box without models says that it has none", () => {
    const none = new Models([], []);
    expect(() => none.readiness.status("rehearsal")).toThrow(
      expect.objectContaining({ code: "models_unavailable", status: 503 }),
    );
  });
});
