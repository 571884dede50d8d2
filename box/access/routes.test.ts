// Every route against every kind of credential.

import { afterAll, beforeAll, expect, test } from "vitest";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { defaultSettings } from "../../contract/settings.ts";
import { modelCatalogue } from "../../contract/model-catalogue.ts";
import { settingsRead } from "../portal/standalone.ts";
import { staticKey, startTestBox, type TestBox } from "../testing/test-box.ts";
import { digestOf } from "./caller.ts";

const secret = (prefix: string, letter: string) => prefix + letter.repeat(43);
const credentials = {
  key: secret("vv_live_", "a"),
  session: secret("vv_ses_", "b"),
  token: secret("vv_tmp_", "c"),
  expired: secret("vv_tmp_", "d"),
  unknown: secret("vv_live_", "e"),
  nonsense: "nonsense",
};
const inAnHour = Math.floor(Date.now() / 1000) + 3600;
const mintedByPortal = { token: secret("vv_tmp_", "f"), expires_at: inAnHour };
const known = new Map(
  [
    { kind: "key", scope: "full", secret: credentials.key, expires_at: null },
    { kind: "session", scope: "full", secret: credentials.session, expires_at: inAnHour },
    { kind: "token", scope: "tts", secret: credentials.token, expires_at: inAnHour },
    { kind: "token", scope: "tts", secret: credentials.expired, expires_at: 1 },
  ].map(({ secret: presented, ...credential }) => {
    const digest = digestOf(presented);
    return [digest, { ...credential, digest, account: "someone@example.org" }];
  }),
);

/** A portal that knows the credentials above, as the box sees it. */
function startPortal(): Promise<{ server: Server; url: string; asked: string[] }> {
  const asked: string[] = [];
  const server = createServer(async (request, response) => {
    let text = "";
    for await (const chunk of request) text += String(chunk);
    const body = JSON.parse(text) as { digest: string; ttl_seconds?: number };
    const presented = request.headers.authorization ?? String(request.headers["x-api-key"]);
    asked.push(`${request.url} ${presented} ${body.digest ?? body.ttl_seconds ?? ""}`);
    const models = modelCatalogue({ anthropic: false, residencyOptIn: [] });
    const answers: Record<string, unknown> = {
      "/internal/credentials/lookup": { credential: known.get(body.digest) ?? null },
      "/internal/heartbeat": { drain: false, revoked: [], revocations_seen: 0 },
      "/v1/streaming.create_token": { data: { ...mintedByPortal, scope: "tts" } },
      "/internal/settings/read": settingsRead(defaultSettings(models), models, true),
    };
    response.writeHead(200, { "Content-Type": "application/json" });
    response.end(JSON.stringify(answers[request.url ?? ""] ?? {}));
  });
  return new Promise((resolve) => {
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo;
      resolve({ server, url: `http://127.0.0.1:${port}`, asked });
    });
  });
}

/** Method, path, policy, and the status of a good credential with no body. */
const routes: [method: string, path: string, policy: "public" | "any" | "full", good: number][] = [
  ["GET", "/", "public", 200],
  ["GET", "/health", "public", 200],
  ["OPTIONS", "/api/chat", "public", 204],
  ["OPTIONS", "/anything", "public", 204],
  ["GET", "/connect", "any", 200],
  ["POST", "/connect", "any", 400],
  ["PATCH", "/connect/x", "any", 404],
  ["DELETE", "/connect/x", "any", 404],
  ["POST", "/disconnect", "any", 200],
  ["POST", "/api/chat", "any", 400],
  ["GET", "/api/chat/status", "any", 200],
  ["POST", "/api/chat/reset", "any", 200],
  ["POST", "/api/talk", "any", 400],
  ["POST", "/api/interrupt", "any", 200],
  ["GET", "/api/avatars", "any", 200],
  ["GET", "/api/avatar/preview?avatar=maya", "any", 200],
  ["POST", "/api/avatar", "full", 400],
  ["GET", "/api/settings", "any", 200],
  ["POST", "/api/settings", "full", 400],
  ["GET", "/api/stats", "full", 200],
  ["GET", "/nowhere", "any", 404],
  ["PUT", "/api/chat", "any", 405],
];

let portal: Awaited<ReturnType<typeof startPortal>>;
let box: TestBox;
beforeAll(async () => {
  portal = await startPortal();
  box = await startTestBox({ PORTAL_URL: portal.url, BOX_SECRET: "secret-of-this-box" });
});
afterAll(async () => {
  await box.close();
  portal.server.close();
});

async function codeOf(response: Response): Promise<unknown> {
  return ((await response.json()) as { code?: string }).code;
}

test.each(routes)("%s %s with a full key", async (method, path, _, good) => {
  for (const key of [credentials.key, credentials.session, staticKey])
    expect((await box.ask(path, { method, key })).status).toBe(good);
});

test("a key mints where it is kept: the portal's at the portal, the box's own here, and nothing that was minted itself", async () => {
  const mint = (key: string) => box.ask("/v1/streaming.create_token", { method: "POST", key });
  const own = await mint(staticKey);
  expect(own.status).toBe(200);
  const { data } = (await own.json()) as { data: { token: string } };
  expect((await box.ask("/api/avatars", { key: data.token })).status).toBe(200);
  const minted = await mint(credentials.key);
  expect(minted.status).toBe(200);
  expect(await minted.json()).toEqual({ data: { ...mintedByPortal, scope: "tts" } });
  expect(portal.asked).toContain(`/v1/streaming.create_token ${credentials.key} 300`);
  for (const key of [credentials.session, credentials.token, data.token]) {
    const refused = await mint(key);
    expect(refused.status).toBe(401);
    expect(await codeOf(refused)).toBe("insufficient_scope");
  }
});

test.each(routes)("%s %s with a stream-only token (%s)", async (method, path, policy, good) => {
  const response = await box.ask(path, { method, key: credentials.token });
  expect(response.status).toBe(policy === "full" ? 401 : good);
  if (policy === "full") expect(await codeOf(response)).toBe("insufficient_scope");
});

test.each(routes)("%s %s with nothing, or nothing good (%s)", async (method, path, policy, good) => {
  const bare = await box.ask(path, { method, key: null });
  if (policy === "public") {
    expect(bare.status).toBe(good);
    return;
  }
  expect(bare.status).toBe(401);
  expect(bare.headers.get("www-authenticate")).toBe("Bearer");
  expect(await bare.json()).toEqual({ code: "missing_api_key", message: expect.any(String) });
  for (const key of [credentials.unknown, credentials.expired, credentials.nonsense]) {
    const response = await box.ask(path, { method, key });
    expect(response.status).toBe(401);
    expect(await codeOf(response)).toBe("invalid_api_key");
  }
});

test("a bearer is as good as the header, and the header is read first", async () => {
  const bearer = { Authorization: `Bearer ${credentials.key}` };
  expect((await box.ask("/api/avatars", { key: null, headers: bearer })).status).toBe(200);
  const both = await box.ask("/api/avatars", { key: credentials.unknown, headers: bearer });
  expect(await codeOf(both)).toBe("invalid_api_key");
});

test("a token in the query counts on /connect and nowhere else over plain HTTP", async () => {
  const query = `?session_token=${credentials.token}`;
  expect((await box.ask(`/connect${query}`, { key: null, method: "POST" })).status).toBe(400);
  expect((await box.ask(`/api/avatars${query}`, { key: null })).status).toBe(401);
});

test("an upgrade without a good credential is an ordinary 401 with its body", async () => {
  for (const [query, code] of [
    ["", "missing_api_key"],
    [`?session_token=${credentials.unknown}`, "invalid_api_key"],
  ] as const) {
    const url = new URL(`/api/session/ws${query}`, box.url);
    const { status, body } = await upgradeAnswer(url);
    expect(status).toBe(401);
    expect(JSON.parse(body)).toEqual({ code, message: expect.any(String) });
  }
});

test("a handshake that is none is an ordinary 400, in the answer and in the log", async () => {
  const url = new URL(`/api/session/ws?session_token=${credentials.token}`, box.url);
  const { status, body } = await upgradeAnswer(url, "too-short");
  expect(status).toBe(400);
  expect(JSON.parse(body)).toEqual({ error: { code: "invalid_body", message: expect.any(String) } });
  await expect
    .poll(() => box.logged.at(-1))
    .toMatchObject({ msg: "request", path: url.pathname, status: 400 });
});

test("the portal is asked once about a credential, with its digest and the box's own secret", async () => {
  const lookups = portal.asked.filter((line) => line.includes("/lookup"));
  const ofKey = lookups.filter((line) => line.endsWith(digestOf(credentials.key)));
  expect(ofKey).toEqual([
    `/internal/credentials/lookup Bearer secret-of-this-box ${digestOf(credentials.key)}`,
  ]);
  expect(lookups.join()).not.toContain(digestOf(credentials.nonsense));
});

test("nothing secret reaches the log", () => {
  const text = JSON.stringify(box.logged);
  expect(box.logged.length).toBeGreaterThan(50);
  for (const value of [...Object.values(credentials), staticKey, "secret-of-this-box"])
    if (value !== credentials.nonsense) expect(text).not.toContain(value);
});

async function upgradeAnswer(
  url: URL,
  key = Buffer.alloc(16).toString("base64"),
): Promise<{ status: number; body: string }> {
  const { request } = await import("node:http");
  return new Promise((resolve, reject) => {
    const headers = {
      Connection: "Upgrade",
      Upgrade: "websocket",
      "Sec-WebSocket-Version": "13",
      "Sec-WebSocket-Key": key,
    };
    const upgrade = request(url, { headers });
    upgrade.once("error", reject);
    upgrade.once("response", (response) => {
      let body = "";
      response.on("data", (chunk) => (body += String(chunk)));
      response.once("end", () => resolve({ status: response.statusCode ?? 0, body }));
    });
    upgrade.end();
  });
}
