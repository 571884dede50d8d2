import { describe, expect, test } from "vitest";
import { structuredErrorSchema } from "../contract/errors.ts";
import { portalHealthSchema } from "../contract/health.ts";
import { limits } from "../contract/limits.ts";
import { createApp } from "./app.ts";
import worker from "./index.ts";
import { parseEnv, type Bindings } from "./platform/env.ts";
import { scrub } from "./platform/log.ts";
import {
  beat,
  bindings,
  bodyOf,
  call,
  captureLog,
  db,
  jsonOf,
  makeKey,
  mintSession,
  mintToken,
  outboxLink,
  post,
  signIn,
  withKey,
} from "./testing/portal.ts";

const codeOf = async (response: Response) => (await bodyOf(response, structuredErrorSchema)).error.code;

test("health", async () => {
  const body = await bodyOf(await call("/health"), portalHealthSchema);
  expect(body).toMatchObject({ ok: true, service: "portal" });
});

test("the declarations make an OpenAPI document", () => {
  const info = { title: "Visàvis", version: "0" };
  const { paths } = createApp().getOpenAPI31Document({ openapi: "3.1.0", info });
  const save = paths?.["/auth/settings"]?.post;
  expect(save).toMatchObject({ "x-policy": "portal-or-full-key", requestBody: { required: true } });
  expect(Object.keys(save?.responses ?? {})).toEqual(
    expect.arrayContaining(["200", "400", "401", "413", "503"]),
  );
});

describe("paths that are no route", () => {
  test.each([
    "/nonsense",
    "/auth/nonsense",
    "/v1/public/nonsense",
    "/internal/nonsense",
    "/auth/admin/nonsense",
  ])("%s is not found", async (path) => {
    // Where only programs go, asking for a page changes nothing.
    for (const Accept of path === "/nonsense" ? ["*/*"] : ["*/*", "text/html"]) {
      const response = await call(path, { headers: { Accept } });
      expect(response.status).toBe(404);
      expect(await codeOf(response)).toBe("not_found");
    }
  });

  test("a person who follows a link gets the console", async () => {
    const response = await call("/studio", { headers: { Accept: "text/html,*/*" } });
    expect([response.status, response.headers.get("Content-Type")]).toEqual([200, "text/html"]);
    expect((await call("/studio", { method: "POST", headers: { Accept: "text/html" } })).status).toBe(404);
  });

  test("files whose names hold their hash may be kept, pages may not", async () => {
    const keeping = async (path: string) =>
      (await call(path, { headers: { Accept: "*/*" } })).headers.get("Cache-Control");
    expect(await keeping("/assets/index-C4bXz_91.js")).toContain("immutable");
    expect(await keeping("/assets/logo.js")).toBe("public, max-age=0");
    expect(await keeping("/")).toBe("public, max-age=0");
  });

  test.each([
    ["PUT", "/auth/keys", "GET, POST, HEAD"],
    ["POST", "/health", "GET, HEAD"],
    ["GET", "/v1/streaming.create_token", "POST"],
    ["GET", `/auth/keys/${"0".repeat(64)}`, "DELETE"],
    ["OPTIONS", "/auth/keys", "GET, POST, HEAD"],
    ["POST", "/", "GET, HEAD"],
    ["DELETE", "/assets/logo.js", "GET, HEAD"],
  ])("%s %s is refused with what is allowed", async (method, path, allow) => {
    const response = await call(path, { method });
    expect([response.status, response.headers.get("Allow")]).toEqual([405, allow]);
    expect(response.headers.get("Access-Control-Allow-Origin")).toBeNull();
    expect(await codeOf(response)).toBe("method_not_allowed");
  });

  test("to all but administrators an admin path has no methods either", async () => {
    expect((await post("/auth/admin/fleet")).status).toBe(404);
    expect((await post("/auth/admin/fleet", undefined, await signIn("ann@example.com"))).status).toBe(404);
    expect((await post("/auth/admin/fleet", undefined, await signIn("admin@example.com"))).status).toBe(405);
  });
});

const stream = (bytes: number) => {
  let left = bytes;
  return new ReadableStream<Uint8Array>({
    pull(controller) {
      if (left <= 0) return controller.close();
      controller.enqueue(new Uint8Array(Math.min(left, 65_536)).fill(32));
      left -= 65_536;
    },
  });
};

describe("bodies", () => {
  test.each(["{", "[]", "null", "7", '"x"', "\u0000", '{"a":1}}'])("%j is no JSON object", async (body) => {
    const response = await post("/auth/request-link", body);
    expect([response.status, await codeOf(response)]).toEqual([400, "invalid_body"]);
  });

  test("past 1 MiB they are refused, with and without a length", async () => {
    const declared = await post("/auth/request-link", " ".repeat(limits.jsonBodyBytes + 1));
    expect([declared.status, await codeOf(declared)]).toEqual([413, "body_too_large"]);
    const streamed = await post("/auth/request-link", stream(limits.jsonBodyBytes * 4));
    expect([streamed.status, await codeOf(streamed)]).toEqual([413, "body_too_large"]);
  });

  test("exactly 1 MiB is read", async () => {
    const body = '{"email":"x"}'.padEnd(limits.jsonBodyBytes);
    expect((await post("/auth/request-link", body)).status).toBe(200);
  });

  test("the caller's word on their type does not matter", async () => {
    const response = await post("/auth/request-link", { email: "x" }, { "Content-Type": "text/plain" });
    expect(response.status).toBe(200);
  });
});

test("an unexpected failure tells the caller nothing but its id", async () => {
  const browser = await signIn("ann@example.com");
  await db.exec("ALTER TABLE credentials RENAME TO elsewhere");
  const lines = captureLog();
  const response = await call("/auth/keys", { headers: browser });
  const id = response.headers.get("X-Request-Id") ?? "";
  expect(response.status).toBe(500);
  const text = await response.text();
  expect(text).not.toMatch(/SQL|credentials|select/i);
  expect(JSON.parse(text)).toMatchObject({ error: { code: "internal" } });
  const unexpected = lines.filter((line) => line.includes('"event":"unexpected"'));
  expect(unexpected).toHaveLength(1);
  expect(unexpected[0]).toContain(id);
  expect(unexpected[0]).toContain("no such table");
  expect(unexpected[0]).not.toContain("ann@example.com");
});

describe("the log", () => {
  test("has one line a request, and no secret, address or query in any", async () => {
    const lines = captureLog();
    await post("/auth/request-link", { email: "ann@example.com" });
    const link = await outboxLink();
    const browser = await signIn("ann@example.com");
    const key = await makeKey(browser);
    const session = await mintSession(browser);
    const token = await mintToken(key.secret);
    await beat("box-a");
    await call("/api/avatars?x=query-text", { headers: withKey(key.secret) });
    await call(`/api/session/ws?session_token=${token}`, { headers: { Upgrade: "websocket" } });
    await call(`/nonsense?session_token=${session}`);
    await call("/auth/me", { headers: { Authorization: "Bearer not-a-known-form-of-credential" } });
    await db.exec("ALTER TABLE settings RENAME TO elsewhere");
    await post("/auth/settings", { system_prompt: "private words" }, withKey(session));
    await db.exec("ALTER TABLE credentials RENAME TO elsewhere_too");
    await call("/auth/settings", { headers: withKey(key.secret) });

    const all = lines.join("\n");
    const secrets = [
      key.secret,
      session,
      token,
      browser.Cookie.split("=")[1] ?? "",
      link.split("token=")[1] ?? "",
    ];
    for (const secret of [...secrets, "ann@example.com", "query-text", "private words", "secret-of-box-a"]) {
      expect(secret.length).toBeGreaterThan(8);
      expect(all).not.toContain(secret);
    }
    const requests = lines.map((line) => JSON.parse(line)).filter((line) => line.event === "request");
    expect(requests).toHaveLength(15);
    expect(requests.at(-1)).toMatchObject({ method: "GET", path: "/auth/settings", status: 500 });
    const seen = requests.find((line) => line.path === "/auth/keys");
    expect(seen.account).toMatch(/^[0-9a-f]{16}$/);
  });

  test("takes out what looks like a secret", () => {
    const text = scrub(
      `key vv_live_${"a".repeat(43)} of ann@example.com at /x?token=abc&y=1 Bearer eyJh.eyJz.c2ln`,
    );
    expect(text).toBe("key [credential] of [address] at /x?token=[secret]&y=1 Bearer [jwt]");
  });
});

describe("configuration", () => {
  test("names everything that is wrong at once", () => {
    const broken = {
      BOX_SECRETS: "no-colon,box:short",
      MAIL: "pigeon",
      IDENTITY_ISSUER: "https://identity.test/",
    } as unknown as Bindings;
    expect(() => parseEnv(broken)).toThrow(
      /DB is missing.*MEDIA is missing.*KV is missing.*ASSETS is missing.*ENVIRONMENT.*PORTAL_URL.*IDENTITY_JWKS_URL.*entry 1.*entry 2.*MAIL/s,
    );
  });

  test("an error names no secret", () => {
    const broken = { ...bindings, BOX_SECRETS: "box:tooshort" };
    expect(() => parseEnv(broken)).toThrow(/^(?!.*tooshort)/s);
  });

  const production = { ...bindings, ENVIRONMENT: "production", PORTAL_URL: "https://portal.example.com/" };

  test("production keeps no outbox", async () => {
    expect(() => parseEnv({ ...production, MAIL: "outbox" })).toThrow(/MAIL=outbox/);
    expect(() => parseEnv({ ...production, MAIL: "resend" })).toThrow(/RESEND_API_KEY/);
    const env = { ...production, MAIL: "none" };
    expect(parseEnv(env).portalOrigin).toBe("https://portal.example.com");
    const context = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;
    const response = await worker.fetch(
      new Request("https://portal.example.com/dev/outbox") as never,
      env,
      context,
    );
    expect([response.status, await codeOf(response)]).toEqual([404, "not_found"]);
  });

  test("a portal that is not configured says so, and why in its log", async () => {
    const lines = captureLog();
    const context = { waitUntil() {}, passThroughOnException() {}, props: {} } as unknown as ExecutionContext;
    const broken = { ...bindings, ENVIRONMENT: "" };
    const response = await worker.fetch(new Request("https://localhost/health") as never, broken, context);
    expect(response.status).toBe(500);
    const id = response.headers.get("X-Request-Id") ?? "";
    expect(id).toMatch(/^[\w-]{8,}$/);
    expect(JSON.parse(lines[0] ?? "{}")).toMatchObject({ event: "configuration", request_id: id });
    expect(response.headers.get("Strict-Transport-Security")).toContain("max-age=63072000");
    expect(await jsonOf(response)).toMatchObject({ error: { code: "internal" } });
    expect(lines.join("\n")).toContain("ENVIRONMENT");
  });
});
