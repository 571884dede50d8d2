import { beforeEach, describe, expect, test, vi } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { modelStatusSchema, type ModelRow } from "../../contract/models.ts";
import { modelListSchema } from "../../contract/public.ts";
import { settingsReadSchema } from "../../contract/settings.ts";
import { deploy, type Deployment } from "../testing/deployment.ts";
import { bodyOf, captureLog, db, makeKey, mintToken, moveClock, signIn, withKey } from "../testing/portal.ts";

interface Asked {
  url: string;
  headers: Headers;
  redirect: string | undefined;
  body: Record<string, unknown>;
}

const model = "claude-haiku-5-5";
const bedrockModel = "au.anthropic.claude-haiku-4-5-20251001-v1:0";
const apiKey = "sk-ant-very-secret";

let asked: Asked[];
let answer: (asked: Asked) => Response | Promise<Response>;
let portal: Deployment;
let key: Record<string, string>;

const ok = () => Response.json({ type: "message", content: [{ type: "text", text: "ok" }] });
const fail = (status: number, type = "api_error") =>
  Response.json({ type: "error", error: { type, message: `upstream words ${apiKey}` } }, { status });
const refuse = () => fail(400, "invalid_request_error");

beforeEach(async () => {
  asked = [];
  answer = ok;
  vi.spyOn(globalThis, "fetch").mockImplementation(async (input, init) => {
    const request = new Request(input, init);
    const call = {
      url: request.url,
      headers: request.headers,
      redirect: init?.redirect,
      body: await request.json<Record<string, unknown>>(),
    };
    asked.push(call);
    return answer(call);
  });
  portal = deploy({ ANTHROPIC_API_KEY: apiKey, RESIDENCY_OPT_IN: "global" });
  key = withKey((await makeKey(await signIn("ann@example.com"))).secret);
});

const path = (id: string, verb: string) => `/auth/models/${encodeURIComponent(id)}/${verb}`;
const warmRaw = (id = model, headers = key) => portal.call(path(id, "warm"), { method: "POST", headers });
const statusRaw = (id = model, headers = key) => portal.call(path(id, "status"), { headers });

async function warm(id = model) {
  const response = await warmRaw(id);
  expect(response.status).toBe(200);
  return bodyOf(response, modelStatusSchema);
}

async function status(id = model) {
  const response = await statusRaw(id);
  expect(response.status).toBe(200);
  return bodyOf(response, modelStatusSchema);
}

async function row(id = model): Promise<ModelRow | undefined> {
  const read = await bodyOf(await portal.call("/auth/settings", { headers: key }), settingsReadSchema);
  const listed = await bodyOf(await portal.call("/v1/public/models", { headers: key }), modelListSchema);
  expect(listed.models).toEqual(read.models);
  return read.models.find((candidate) => candidate.id === id);
}

/** Whether a call is one of those that measure what a model accepts. */
const measures = ({ body }: Asked) => Object.keys(body).length > 3 || body.max_tokens !== 1;
const plainCalls = () => asked.filter((call) => !measures(call)).length;

describe("a model nobody asked", () => {
  test("is unknown, and status calls nothing", async () => {
    expect(await status()).toEqual({ ok: true, model, state: "unknown", reason: "Not probed yet." });
    expect(await row()).toMatchObject({
      status: { state: "unknown" },
      supports_sampling: false,
      supports_effort: false,
      effort_max: false,
      reasoning: "none",
    });
    expect(asked).toEqual([]);
  });
});

describe("warming", () => {
  test("is one call of one token, and then the model is ready for a day", async () => {
    expect(await warm()).toEqual({ ok: true, model, state: "ready", reason: "" });
    expect(asked[0]).toMatchObject({
      url: "https://api.anthropic.com/v1/messages",
      redirect: "manual",
      body: { model, max_tokens: 1 },
    });
    expect(asked[0]?.headers.get("x-api-key")).toBe(apiKey);
    expect(asked[0]?.headers.get("anthropic-version")).toMatch(/^\d{4}-\d\d-\d\d$/);
    await portal.settle();
    expect((await row())?.status).toEqual({ state: "ready", reason: "" });
    const calls = asked.length;
    moveClock(24 * 3600 - 60);
    expect(await warm()).toMatchObject({ state: "ready" });
    expect(asked).toHaveLength(calls);
    moveClock(120);
    expect(await status()).toMatchObject({ ok: true, state: "unknown" });
    expect(await warm()).toMatchObject({ state: "ready" });
    expect(plainCalls()).toBe(2);
  });

  test("fifty at once make one call, and all but the first are told to come back", async () => {
    const held = Promise.withResolvers<Response>();
    answer = () => held.promise;
    const all = Promise.all(Array.from({ length: 50 }, () => warm()));
    await vi.waitFor(() => expect(asked).toHaveLength(1));
    const answers = await all;
    expect(asked).toHaveLength(1);
    for (const one of answers) {
      expect(one).toEqual({ ok: true, model, state: "enabling", reason: "", poll_after_seconds: 2 });
    }
    expect(await status()).toMatchObject({ state: "enabling", poll_after_seconds: 2 });
    answer = ok;
    held.resolve(ok());
    await portal.settle();
    expect(await status()).toEqual({ ok: true, model, state: "ready", reason: "" });
  });

  test.each([
    [401, "authentication_error", "has no access"],
    [403, "permission_error", "has no access"],
    [404, "not_found_error", "does not exist"],
    [429, "rate_limit_error", "no more requests"],
    [529, "overloaded_error", "could not be reached"],
    [500, "api_error", "could not be reached"],
    [400, "invalid_request_error", "refused"],
    [400, "something_else", "could not be reached"],
    [302, "moved", "could not be reached"],
  ])("%i %s makes it unavailable, in our words", async (code, type, words) => {
    answer = () => fail(code, type);
    const lines = captureLog();
    const body = await warm();
    expect(body).toMatchObject({ ok: false, state: "unavailable" });
    expect(body).not.toHaveProperty("poll_after_seconds");
    expect(body.reason).toContain(words);
    await portal.settle();
    expect(JSON.stringify([await status(), await row(), lines])).not.toMatch(/upstream words|sk-ant/);
    expect(asked).toHaveLength(1);
  });

  test("a network that fails is a model that cannot be reached", async () => {
    answer = () => {
      throw new TypeError(`fetch failed ${apiKey}`);
    };
    expect(await warm()).toMatchObject({ state: "unavailable", reason: "The model could not be reached." });
  });

  test("an unavailable model is asked again after 30 s, and not before", async () => {
    answer = () => fail(529);
    await warm();
    moveClock(28);
    expect(await warm()).toMatchObject({ state: "unavailable" });
    expect(asked).toHaveLength(1);
    answer = ok;
    moveClock(2);
    expect(await warm()).toMatchObject({ state: "ready" });
    expect(plainCalls()).toBe(2);
  });

  test("a call that never came to an end is over after 30 s; its late word counts no more", async () => {
    const held = Promise.withResolvers<Response>();
    answer = () => held.promise;
    expect(await warm()).toMatchObject({ state: "enabling" });
    moveClock(31);
    expect(await status()).toMatchObject({ state: "unknown" });
    expect(await status()).not.toHaveProperty("poll_after_seconds");
    answer = ok;
    expect(await warm()).toMatchObject({ state: "ready" });
    held.resolve(fail(404));
    await portal.settle();
    expect(await status()).toMatchObject({ state: "ready" });
  });

  test("is counted for each model by itself", async () => {
    await Promise.all([warm(), warm("claude-opus-5-5")]);
    expect(asked.filter((call) => !measures(call)).map(({ body }) => body.model)).toEqual(
      expect.arrayContaining([model, "claude-opus-5-5"]),
    );
  });
});

describe("what a model accepts", () => {
  const refusing = (...refused: ((body: Record<string, unknown>) => boolean)[]) => {
    answer = ({ body }) => (refused.some((rule) => rule(body)) ? refuse() : ok());
  };
  const thinking = (type: string) => (body: Record<string, unknown>) =>
    (body.thinking as { type?: string } | undefined)?.type === type;
  const effort = (level: string) => (body: Record<string, unknown>) =>
    (body.output_config as { effort?: string } | undefined)?.effort === level;
  const measured = async () => {
    await warm();
    await portal.settle();
    return row();
  };

  test("everything", async () => {
    expect(await measured()).toMatchObject({
      supports_sampling: true,
      supports_effort: true,
      effort_max: true,
      reasoning: "adaptive",
    });
    expect(await row()).not.toHaveProperty("forced_tool_choice_supported");
  });

  test("each flag follows its own parameter", async () => {
    refusing(
      (body) => "temperature" in body,
      effort("max"),
      thinking("adaptive"),
      (body) => "tool_choice" in body,
    );
    expect(await measured()).toMatchObject({
      supports_sampling: false,
      supports_effort: true,
      effort_max: false,
      reasoning: "budget",
      forced_tool_choice_supported: false,
    });
  });

  test.each([
    [["disabled"], "always"],
    [["adaptive", "disabled"], "always"],
    [["enabled"], "adaptive"],
    [["adaptive"], "budget"],
    [["adaptive", "enabled"], "none"],
    [["adaptive", "enabled", "disabled"], "none"],
  ])("refusing thinking %j is %s", async (types, kind) => {
    refusing(...types.map(thinking));
    expect((await measured())?.reasoning).toBe(kind);
  });

  test("is asked of an answering model alone, and once a month", async () => {
    answer = () => fail(404);
    await warm();
    await portal.settle();
    expect(asked).toHaveLength(1);
    answer = ok;
    moveClock(31);
    await measured();
    const calls = asked.length;
    for (const days of [2, 2, 2]) {
      moveClock(days * 24 * 3600);
      await measured();
    }
    expect(asked).toHaveLength(calls + 3);
    moveClock(30 * 24 * 3600);
    await measured();
    expect(asked.length).toBeGreaterThan(calls + 4);
  });

  test("what another failure leaves open stays open, and is asked again while the model stays ready", async () => {
    answer = (call) =>
      effort("max")(call.body) ? fail(429) : measures(call) && "tools" in call.body ? fail(500) : ok();
    expect(await measured()).toMatchObject({ supports_effort: true, effort_max: false });
    const [first] = (await db.prepare("SELECT flags, measured_at FROM model_probes").all()).results;
    expect(JSON.parse(String(first?.flags))).toEqual({
      supports_sampling: true,
      supports_effort: true,
      reasoning: "adaptive",
    });
    expect(first?.measured_at).toBeNull();
    answer = ok;
    moveClock(31);
    expect(await measured()).toMatchObject({ effort_max: true, status: { state: "ready" } });
    const calls = asked.length;
    moveClock(31);
    await measured();
    expect(asked).toHaveLength(calls);
  });

  test("no call asks for more tokens than it must", async () => {
    await measured();
    for (const { body } of asked) {
      const budget = (body.thinking as { budget_tokens?: number } | undefined)?.budget_tokens ?? 0;
      expect(body.max_tokens).toBe(budget + 1);
    }
  });
});

describe("Bedrock", () => {
  const variables = {
    BEDROCK_REGION: "ap-southeast-2",
    AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
    AWS_SECRET_ACCESS_KEY: "wJalrXUtnFEMI",
    AWS_SESSION_TOKEN: "session-token",
  };
  beforeEach(() => {
    portal = deploy(variables);
  });

  test("is asked at its own address, signed; the copy at home is selectable", async () => {
    expect(await row(bedrockModel)).toMatchObject({ residency: "au", selectable: true });
    expect(await warm(bedrockModel)).toMatchObject({ model: bedrockModel, state: "ready" });
    const [call] = asked;
    expect(call?.url).toBe(
      `https://bedrock-runtime.ap-southeast-2.amazonaws.com/model/${encodeURIComponent(bedrockModel)}/invoke`,
    );
    expect(call?.body).toMatchObject({ anthropic_version: "bedrock-2023-05-31", max_tokens: 1 });
    expect(call?.body).not.toHaveProperty("model");
    expect(call?.headers.get("authorization")).toMatch(
      /^AWS4-HMAC-SHA256 Credential=AKIDEXAMPLE\/\d{8}\/ap-southeast-2\/bedrock\/aws4_request, /,
    );
    expect(call?.headers.get("x-amz-security-token")).toBe("session-token");
    expect(JSON.stringify([...(call?.headers ?? [])])).not.toContain(variables.AWS_SECRET_ACCESS_KEY);
  });

  test.each([
    [403, "AccessDeniedException", "has no access"],
    [404, "ResourceNotFoundException", "does not exist"],
    [429, "ThrottlingException", "no more requests"],
    [400, "ValidationException", "refused"],
    [503, "ServiceUnavailableException", "could not be reached"],
  ])("%i %s", async (code, type, words) => {
    answer = () =>
      Response.json(
        { message: "upstream words" },
        { status: code, headers: { "x-amzn-errortype": `${type}:` } },
      );
    expect((await warm(bedrockModel)).reason).toContain(words);
  });

  test("flags are measured there too", async () => {
    answer = ({ body }) =>
      "temperature" in body ? Response.json({ __type: "ValidationException" }, { status: 400 }) : ok();
    await warm(bedrockModel);
    await portal.settle();
    expect(await row(bedrockModel)).toMatchObject({ supports_sampling: false, supports_effort: true });
  });
});

describe("models that are not asked", () => {
  test("the rehearsal persona is always ready", async () => {
    for (const body of [await warm("rehearsal"), await status("rehearsal")]) {
      expect(body).toEqual({ ok: true, model: "rehearsal", state: "ready", reason: "" });
    }
    expect(asked).toEqual([]);
  });

  test("one that is refused on residency says so", async () => {
    portal = deploy({ ANTHROPIC_API_KEY: apiKey });
    for (const body of [await warm(), await status()]) {
      expect(body).toMatchObject({ ok: false, state: "unavailable" });
      expect(body.reason).toContain("sends no data outside its region");
    }
    expect(await row()).toMatchObject({ selectable: false, status: { state: "unavailable" } });
    expect(asked).toEqual([]);
  });

  test.each(["nobody", "a/b", "a:b", "a%2Fb", "a b", "ü", "%", "..", "au.anthropic.claude-haiku-5-5"])(
    "there is no %j",
    async (id) => {
      for (const response of [await warmRaw(id), await statusRaw(id)]) {
        expect(response.status).toBe(404);
        const { error } = await bodyOf(response, structuredErrorSchema);
        expect(error.code).toBe("not_found");
        if (id !== "..") expect(error.message).toContain(`"${id}"`);
      }
    },
  );
});

describe("who may ask", () => {
  test("a signed-in person may, a stream-only token may not", async () => {
    const browser = await signIn("bea@example.com");
    expect((await statusRaw(model, browser)).status).toBe(200);
    expect((await warmRaw(model, browser)).status).toBe(200);
    const token = withKey(await mintToken(key["X-Api-Key"] ?? ""));
    for (const response of [await warmRaw(model, token), await statusRaw(model, token)]) {
      expect(response.status).toBe(401);
      expect(await response.json()).toMatchObject({ code: "insufficient_scope" });
    }
    for (const response of [await warmRaw(model, {}), await statusRaw(model, {})]) {
      expect(await response.json()).toMatchObject({ code: "missing_api_key" });
    }
  });
});

describe("a table that cannot be read", () => {
  beforeEach(async () => {
    await warm();
    await portal.settle();
    await db.exec("ALTER TABLE model_probes RENAME TO elsewhere");
    captureLog();
  });

  test("is a 503 to warm and status, and calls nobody", async () => {
    asked = [];
    for (const response of [await warmRaw(), await statusRaw()]) {
      expect(response.status).toBe(503);
      const { error } = await bodyOf(response, structuredErrorSchema);
      expect(error.code).toBe("models_unavailable");
      expect(error.message).not.toMatch(/table|SQL/i);
    }
    expect(asked).toEqual([]);
    expect((await statusRaw("rehearsal")).status).toBe(200);
  });

  test("leaves the models unknown in the catalogue", async () => {
    expect(await row()).toMatchObject({ status: { state: "unknown" }, supports_effort: false });
  });
});
