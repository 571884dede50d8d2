// One store fails at a time, under every route: the answer is a documented one in the right envelope, and nothing is half
// written.

import { beforeEach, describe, expect, test } from "vitest";
import { structuredErrorSchema, unwrappedErrorSchema } from "../contract/errors.ts";
import { createApp } from "./app.ts";
import { cleanUp } from "./cleanup.ts";
import { parseEnv, type Bindings } from "./platform/env.ts";
import { bindingsWith, contentOf, databaseWhereOnly, faultWords, outOfOrder } from "./testing/faults.ts";
import {
  asBox,
  bindings,
  captureLog,
  db,
  idle,
  makeKey,
  origin,
  post,
  signIn,
  withKey,
  type Browser,
} from "./testing/portal.ts";

const owner = "person@example.com";
const zeros = "0".repeat(64);
const avatar = "a-face";
const session = "a-session";

interface Request {
  method: string;
  path: string;
  body?: unknown;
  by?: "key" | "box" | "admin";
}

/** A request that would do something on every route that reads or writes a store. */
const requests: Request[] = [
  { method: "GET", path: "/auth/keys" },
  { method: "POST", path: "/auth/keys", body: { name: "k" } },
  { method: "DELETE", path: `/auth/keys/${zeros}` },
  { method: "POST", path: "/auth/session/credential" },
  { method: "POST", path: "/v1/streaming.create_token", body: {}, by: "key" },
  { method: "GET", path: "/auth/settings" },
  { method: "POST", path: "/auth/settings", body: { max_tokens: 5 } },
  { method: "POST", path: "/auth/models/claude-haiku-5-5/warm" },
  { method: "GET", path: "/auth/models/claude-haiku-5-5/status" },
  { method: "GET", path: "/auth/avatars" },
  { method: "GET", path: "/auth/avatars/public" },
  { method: "GET", path: `/auth/avatars/${avatar}/assets` },
  { method: "GET", path: `/auth/avatars/${avatar}/clips` },
  { method: "GET", path: `/auth/avatars/${avatar}/clips/happy/video` },
  { method: "PUT", path: `/auth/avatars/${avatar}/visibility`, body: { visibility: "public" } },
  { method: "PUT", path: `/auth/avatars/${avatar}/visibility`, body: { visibility: "private" } },
  { method: "DELETE", path: `/auth/avatars/${avatar}` },
  {
    method: "POST",
    path: "/auth/uploads",
    body: { files: [{ field: "file", filename: "a.png", content_type: "image/png", size: 9 }] },
  },
  { method: "GET", path: "/auth/consents" },
  { method: "POST", path: "/auth/consents", body: { sha256: zeros, source_kind: "photo", attested: true } },
  { method: "DELETE", path: `/auth/publication-consents/${avatar}` },
  { method: "GET", path: "/auth/portraits/none" },
  { method: "POST", path: "/auth/seated-still", body: { upload_id: "none" } },
  { method: "GET", path: "/auth/seated-still/none" },
  { method: "GET", path: "/auth/sessions" },
  { method: "GET", path: `/auth/sessions/${session}` },
  { method: "PATCH", path: `/auth/sessions/${session}`, body: { starred: true } },
  { method: "DELETE", path: `/auth/sessions/${session}` },
  { method: "GET", path: "/auth/voice/settings" },
  { method: "PUT", path: "/auth/voice/engine", body: { engine: "local" } },
  {
    method: "PUT",
    path: "/auth/voice/default",
    body: { engine: "local", voice_id: "en", display_name: "En" },
  },
  { method: "DELETE", path: "/auth/voice/default" },
  { method: "DELETE", path: "/auth/voice/key/cartesia" },
  { method: "GET", path: "/auth/voices" },
  { method: "GET", path: "/auth/voices/preview?provider=local&voice=en" },
  { method: "GET", path: "/v1/public/status" },
  { method: "GET", path: "/v1/public/models" },
  { method: "GET", path: "/auth/admin/fleet", by: "admin" },
  { method: "POST", path: "/auth/admin/boxes/box-a/drain", by: "admin" },
  { method: "GET", path: "/api/avatars", by: "key" },
  { method: "POST", path: "/connect", body: {}, by: "key" },
  {
    method: "POST",
    path: "/internal/heartbeat",
    body: { ...idle, public_url: "http://box.test" },
    by: "box",
  },
  { method: "POST", path: "/internal/credentials/lookup", body: { digest: zeros }, by: "box" },
  { method: "POST", path: "/internal/settings/read", body: { account: owner }, by: "box" },
  { method: "POST", path: "/internal/voices/account", body: { account: owner }, by: "box" },
  { method: "POST", path: "/internal/erasures/pending", body: { weights_volume: "v" }, by: "box" },
];

let browser: Browser;
let admin: Browser;
let secret: string;

beforeEach(async () => {
  browser = await signIn(owner);
  admin = await signIn("admin@example.com");
  ({ secret } = await makeKey(browser));
  const now = Math.floor(Date.now() / 1000);
  await post("/internal/heartbeat", { ...idle, public_url: "http://box.test" }, asBox("box-a"));
  await post(
    "/internal/avatars/report",
    {
      account: owner,
      avatar_id: avatar,
      name: null,
      source_kind: "photo",
      state: "ready",
      detail: "",
      region: "au",
      weights_volume: "v",
    },
    asBox("box-a"),
  );
  await post(
    "/internal/sessions/report",
    {
      session_id: session,
      account: owner,
      kind: "studio",
      avatar_id: avatar,
      started_at: now - 9,
      ended_at: now,
      end_reason: "disconnected",
      turns: 1,
    },
    asBox("box-a"),
  );
});

const app = createApp();
/** Lets the app's `waitUntil` work finish before the stores are looked at again. */
async function ask(
  request: Request,
  stores: Bindings,
): Promise<{ status: number; code: string | null; text: string }> {
  const headers =
    request.by === "key"
      ? withKey(secret)
      : request.by === "box"
        ? asBox("box-a")
        : request.by === "admin"
          ? admin
          : browser;
  const waiting: Promise<unknown>[] = [];
  const context = {
    waitUntil: (work: Promise<unknown>) => waiting.push(work),
    passThroughOnException: () => {},
    props: {},
  };
  const response = await app.fetch(
    new Request(origin + request.path, {
      method: request.method,
      headers,
      ...(request.body === undefined ? {} : { body: JSON.stringify(request.body) }),
    }),
    stores,
    context as unknown as ExecutionContext,
  );
  const text = await response.text();
  await Promise.allSettled(waiting);
  if (response.status < 400) return { status: response.status, code: null, text };
  const body: unknown = JSON.parse(text);
  const bare = response.status === 401 || request.path === "/v1/streaming.create_token";
  const code = bare
    ? unwrappedErrorSchema.strict().parse(body).code
    : structuredErrorSchema.strict().parse(body).error.code;
  return { status: response.status, code, text };
}

const titled = requests.map((request) => [`${request.method} ${request.path}`, request] as const);

/** What a route says when D1 answers for credentials alone; every other route has no word for it but `internal`. */
const unavailable: [path: RegExp, code: string][] = [
  [/^\/auth\/settings|^\/internal\/settings/, "settings_unavailable"],
  [/^\/auth\/sessions/, "sessions_unavailable"],
  [/^\/auth\/models/, "models_unavailable"],
];

describe("D1 fails behind the key check", () => {
  const broken = () =>
    bindingsWith({ DB: databaseWhereOnly(/^(?:credentials|portal_sessions|box_launches)$/) });
  test.each(titled)("%s", async (_, request) => {
    const lines = captureLog();
    const before = await contentOf(db);
    const { status, code, text } = await ask(request, broken());
    if (status >= 400) {
      const word = unavailable.find(([path]) => path.test(request.path))?.[1];
      if (word) expect([status, code]).toEqual([503, word]);
      else expect(status >= 500 || status === 404).toBe(true);
      // Had nothing failed after the answer's head, nothing may be there now.
      expect(await contentOf(db)).toBe(before);
    }
    expect(text).not.toContain(faultWords);
    expect(lines.join("\n")).not.toContain(owner);
  });

  test("what is stored is there again afterwards", async () => {
    await ask({ method: "POST", path: "/auth/settings", body: { max_tokens: 9 } }, bindings);
    const { status } = await ask({ method: "GET", path: "/auth/settings" }, broken());
    expect(status).toBe(503);
    const { text } = await ask({ method: "GET", path: "/auth/settings" }, bindings);
    expect(JSON.parse(text)).toMatchObject({ settings: { max_tokens: 9 } });
  });
});

test("D1 gone altogether lets nobody in, and says no more than that", async () => {
  captureLog();
  for (const request of requests) {
    const { status, text } = await ask(request, bindingsWith({ DB: outOfOrder<D1Database>() }));
    expect.soft([request.path, status >= 500 || request.by === "admin"]).toEqual([request.path, true]);
    expect.soft(text).not.toContain(faultWords);
  }
});

describe("R2 fails", () => {
  test.each(titled)("%s", async (_, request) => {
    captureLog();
    const whole = await ask(request, bindings);
    const { status, code, text } = await ask(request, bindingsWith({ MEDIA: outOfOrder<R2Bucket>() }));
    // Erasures are accepted all the same and finish later; whoever needs the bytes now is told that storage is away.
    const same = status === whole.status || (request.method === "DELETE" && status === 404);
    expect(same || status === 503 || status === 502, `${status} ${code}`).toBe(true);
    expect(code).not.toBe("internal");
    expect(text).not.toContain(faultWords);
  });
});

describe("KV fails", () => {
  test.each(titled)("%s is answered as ever", async (_, request) => {
    captureLog();
    const { status, code } = await ask(request, bindingsWith({ KV: outOfOrder<KVNamespace>() }));
    expect(code).not.toBe("internal");
    // What this portal is not configured for it does not do, with or without a cache.
    const unconfigured = ["box_unavailable", "lifecycle_unavailable", "seated_still_unavailable"];
    expect(status < 500 || unconfigured.includes(code ?? ""), `${status} ${code}`).toBe(true);
  });
});

describe("the consent ledger fails", () => {
  const consents = /^\/auth\/(?:consents|publication-consents)/;
  test.each(titled)("%s", async (_, request) => {
    captureLog();
    const { status, code } = await ask(request, bindingsWith({ LEDGER: outOfOrder<D1Database>() }));
    expect(code).not.toBe("internal");
    const publishes = request.path.endsWith("/visibility") && JSON.stringify(request.body).includes("public");
    if (consents.test(request.path) || publishes) expect(status).toBe(503);
  });

  test("a withdrawn publication takes effect all the same", async () => {
    const { status } = await ask(
      { method: "PUT", path: `/auth/avatars/${avatar}/visibility`, body: { visibility: "private" } },
      bindingsWith({ LEDGER: outOfOrder<D1Database>() }),
    );
    expect(status).toBe(200);
  });
});

test("a clean-up whose stores fail leaves the rest to go on, and says that it failed", async () => {
  captureLog();
  const env = parseEnv(bindingsWith({ MEDIA: outOfOrder<R2Bucket>() }));
  await db.prepare("INSERT INTO media_removals (prefix, since) VALUES ('x/', 1)").run();
  await db.prepare("INSERT INTO signin_links (digest, account, expires_at) VALUES ('d', 'a', 1)").run();
  await cleanUp(env).catch(() => undefined);
  const left = await db.prepare("SELECT count(*) AS n FROM signin_links").first<{ n: number }>();
  expect(left?.n).toBe(0);
  const waiting = await db.prepare("SELECT count(*) AS n FROM media_removals").first<{ n: number }>();
  expect(waiting?.n).toBe(1);
  await expect(cleanUp(parseEnv(bindingsWith({ DB: outOfOrder<D1Database>() })))).rejects.toThrow("clean-up");
});
