// Every route of the portal under every kind of credential.

import { beforeEach, describe, expect, test } from "vitest";
import { structuredErrorSchema, unwrappedErrorSchema } from "../../contract/errors.ts";
import { createApp } from "../app.ts";
import { identityToken, serveIdentityKeys } from "../testing/identity.ts";
import {
  beat,
  bodyOf,
  boxSecrets,
  call,
  db,
  idle,
  makeKey,
  mintSession,
  mintToken,
  origin,
  post,
  signIn,
  withKey,
} from "../testing/portal.ts";
import type { Policy } from "./policy.ts";

const kinds = [
  "none",
  "malformed",
  "unknown",
  "revoked",
  "expired",
  "stream-only",
  "full key",
  "session credential",
  "cookie",
  "signed-out cookie",
  "identity token",
  "foreign identity token",
  "admin",
  "box",
] as const;
type Kind = (typeof kinds)[number];

type Verdict = "in" | "missing_api_key" | "invalid_api_key" | "insufficient_scope" | "not_found";

const missing = "missing_api_key";
const invalid = "invalid_api_key";
const scope = "insufficient_scope";
const hidden = "not_found";

/** What nobody may use, whatever the route. */
const rejected = {
  none: missing,
  malformed: invalid,
  unknown: invalid,
  revoked: invalid,
  expired: invalid,
  "signed-out cookie": invalid,
  "foreign identity token": invalid,
  box: invalid,
} as const;

const everyone = (verdict: Verdict) => Object.fromEntries(kinds.map((kind) => [kind, verdict])) as Verdicts;
type Verdicts = Record<Kind, Verdict>;

const expected: Record<Policy, Verdicts> = {
  public: everyone("in"),
  any: {
    ...rejected,
    "stream-only": "in",
    "full key": "in",
    "session credential": "in",
    cookie: "in",
    "identity token": "in",
    admin: "in",
  },
  portal: {
    ...rejected,
    "stream-only": scope,
    "full key": invalid,
    "session credential": invalid,
    cookie: "in",
    "identity token": "in",
    admin: "in",
  },
  identity: {
    ...rejected,
    "stream-only": scope,
    "full key": invalid,
    "session credential": invalid,
    cookie: invalid,
    "identity token": "in",
    admin: invalid,
  },
  "portal-or-full-key": {
    ...rejected,
    "stream-only": scope,
    "full key": "in",
    "session credential": "in",
    cookie: "in",
    "identity token": "in",
    admin: "in",
  },
  "full-key": {
    ...rejected,
    "stream-only": scope,
    "full key": "in",
    "session credential": scope,
    cookie: invalid,
    "identity token": invalid,
    admin: invalid,
  },
  key: {
    ...rejected,
    "stream-only": "in",
    "full key": "in",
    "session credential": "in",
    cookie: invalid,
    "identity token": invalid,
    admin: invalid,
  },
  admin: { ...everyone(hidden), admin: "in" },
  box: {
    ...everyone(invalid),
    none: missing,
    cookie: missing,
    "signed-out cookie": missing,
    admin: missing,
    box: "in",
  },
};

/** A box secret is a bearer; a key in `X-Api-Key` is none, so a box route finds nothing presented. */
const bearerOnly: Policy = "box";

interface Sample {
  body?: unknown;
  status: number;
}

const noAvatarsFile = {
  account: "x@example.com",
  avatar_id: "nobody",
  files: [
    {
      role: "still",
      tone: null,
      filename: "still.jpg",
      content_type: "image/jpeg",
      size: 1,
      sha256: "0".repeat(64),
    },
  ],
};

/** One good call of each route, and its status once the caller is in. */
const samples: Record<string, Sample> = {
  "GET /health": { status: 200 },
  "POST /auth/request-link": { body: { email: "x@example.com" }, status: 200 },
  "GET /auth/callback": { status: 303 },
  "POST /auth/logout": { status: 200 },
  "POST /auth/session/exchange": { status: 200 },
  "GET /auth/me": { status: 200 },
  "GET /dev/outbox": { status: 200 },
  "GET /auth/keys": { status: 200 },
  "POST /auth/keys": { body: { name: "k" }, status: 201 },
  "DELETE /auth/keys/{id}": { status: 404 },
  "POST /auth/session/credential": { status: 201 },
  "POST /v1/streaming.create_token": { body: {}, status: 200 },
  "GET /auth/settings": { status: 200 },
  "POST /auth/settings": { body: { max_tokens: 9 }, status: 200 },
  "POST /auth/models/{id}/warm": { status: 404 },
  "GET /auth/models/{id}/status": { status: 404 },
  "GET /auth/voice/settings": { status: 200 },
  "PUT /auth/voice/key": { body: { provider: "cartesia", key: "sk_car_0123456789" }, status: 200 },
  "DELETE /auth/voice/key/{provider}": { status: 400 },
  "PUT /auth/voice/engine": { body: { engine: "local" }, status: 200 },
  "PUT /auth/voice/default": {
    body: { engine: "local", voice_id: "en-us+f2", display_name: "Nora" },
    status: 200,
  },
  "DELETE /auth/voice/default": { status: 200 },
  "GET /auth/voices": { status: 200 },
  "GET /auth/voices/preview": { status: 404 },
  "POST /auth/voices/preview": { body: { text: "Hello." }, status: 503 },
  "POST /internal/voices/account": { body: { account: "x@example.com" }, status: 200 },
  "POST /internal/voices/builtin": { body: { voices: [] }, status: 200 },
  "PUT /internal/voices/builtin/{voice}/sample": { status: 400 },
  "GET /v1/public/models": { status: 200 },
  "GET /v1/public/tones": { status: 200 },
  "GET /v1/public/status": { status: 200 },
  "GET /auth/avatars": { status: 200 },
  "GET /auth/avatars/public": { status: 200 },
  "GET /auth/avatars/tones": { status: 200 },
  "PUT /auth/avatars/{id}/visibility": { body: { visibility: "private" }, status: 404 },
  "GET /auth/avatars/{id}/assets": { status: 404 },
  "GET /auth/avatars/{id}/clips": { status: 404 },
  "GET /auth/avatars/{id}/clips/{tone}/video": { status: 404 },
  "DELETE /auth/avatars/{id}": { status: 404 },
  "POST /auth/uploads": {
    body: { files: [{ field: "file", filename: "a.png", content_type: "image/png", size: 1 }] },
    status: 201,
  },
  "GET /auth/consents": { status: 200 },
  "POST /auth/consents": {
    body: { sha256: "0".repeat(64), source_kind: "photo", attested: true },
    status: 201,
  },
  "GET /auth/avatars/publication-terms": { status: 200 },
  "GET /auth/recordings/terms": { status: 200 },
  "POST /auth/publication-consents": { body: { avatar_id: "nobody", terms_version: "none" }, status: 409 },
  "DELETE /auth/publication-consents/{avatar_id}": { status: 404 },
  "GET /auth/admin/fleet": { status: 200 },
  "POST /auth/admin/boxes": { body: { region: "au" }, status: 503 },
  "POST /auth/admin/boxes/{id}/drain": { status: 404 },
  "POST /auth/admin/boxes/{id}/undrain": { status: 404 },
  "POST /auth/admin/boxes/{id}/stop": { status: 404 },
  "POST /internal/heartbeat": { body: idle, status: 200 },
  "POST /internal/credentials/lookup": { body: { digest: "0".repeat(64) }, status: 200 },
  "POST /internal/settings/read": { body: { account: "x@example.com" }, status: 200 },
  "POST /internal/settings/save": { body: { account: "x@example.com", patch: {} }, status: 200 },
  "POST /internal/uploads/claim": { body: { account: "x@example.com", upload_id: "nobody" }, status: 404 },
  "POST /internal/consents/check": {
    body: { account: "x@example.com", consent_token: "nobody", sha256: "0".repeat(64) },
    status: 200,
  },
  "POST /internal/avatars/report": {
    body: {
      account: "x@example.com",
      avatar_id: "face",
      name: null,
      source_kind: "photo",
      state: "ready",
      detail: "",
      region: "au",
      weights_volume: "v1",
    },
    status: 200,
  },
  "POST /internal/avatars/media": { body: noAvatarsFile, status: 404 },
  "POST /internal/avatars/media/done": { body: noAvatarsFile, status: 404 },
  "POST /internal/avatars/clips": {
    body: {
      account: "x@example.com",
      avatar_id: "nobody",
      clip: {
        tone: "happy",
        state: "generating",
        variant_id: "nobody__happy",
        duration_s: null,
        updated_at: 1,
        detail: "",
      },
    },
    status: 404,
  },
  "POST /internal/erasures/pending": { body: { weights_volume: "v1" }, status: 200 },
  "POST /internal/erasures/done": { body: { weights_volume: "v1", erasure_ids: [] }, status: 200 },
  "GET /auth/sessions": { status: 200 },
  "GET /auth/sessions/{id}": { status: 404 },
  "PATCH /auth/sessions/{id}": { body: { title: "t" }, status: 404 },
  "DELETE /auth/sessions/{id}": { status: 404 },
  "POST /internal/sessions/transcript": {
    body: {
      session_id: "none",
      account: "x@example.com",
      lines: [{ index: 0, role: "user", content: "Hi.", tone: null, at: 1 }],
    },
    status: 404,
  },
  "POST /internal/sessions/recording": {
    body: {
      session_id: "none",
      account: "x@example.com",
      content_type: "video/mp4",
      size: 1,
      sha256: "0".repeat(64),
      consent: { terms_version: "none", terms_digest: "0".repeat(64), agreed_at: 1 },
    },
    status: 409,
  },
  "POST /internal/sessions/recording/done": {
    body: { session_id: "none", account: "x@example.com" },
    status: 404,
  },
  "POST /internal/usage": {
    body: {
      usage_id: "u",
      account: "x@example.com",
      session_id: null,
      kind: "clip",
      seconds: 1,
      turns: 0,
      at: 1,
    },
    status: 200,
  },
  "POST /internal/sessions/report": {
    body: {
      session_id: "s1",
      account: "x@example.com",
      kind: "api",
      avatar_id: "face",
      started_at: 1,
      ended_at: null,
      end_reason: null,
      turns: 0,
    },
    status: 200,
  },
};

interface Route {
  name: string;
  method: string;
  path: string;
  policy: Policy;
}

const routes: Route[] = createApp().openAPIRegistry.definitions.flatMap((definition) => {
  if (definition.type !== "route") return [];
  const { route } = definition;
  const method = route.method.toUpperCase();
  return [{ name: `${method} ${route.path}`, method, path: route.path, policy: route["x-policy"] as Policy }];
});

let credentials: Record<Kind, Record<string, string>>;

const bearer = (token: string) => ({ Authorization: `Bearer ${token}` });

beforeEach(async () => {
  serveIdentityKeys();
  const ann = await signIn("ann@example.com");
  const gone = await signIn("ann@example.com");
  await post("/auth/logout", undefined, gone);
  const key = await makeKey(ann);
  const revoked = await makeKey(ann);
  await call(`/auth/keys/${revoked.id}`, { method: "DELETE", headers: ann });
  const expired = await mintSession(ann);
  await db.prepare("UPDATE credentials SET expires_at = 1 WHERE kind = 'session'").run();
  credentials = {
    none: {},
    malformed: withKey("not-a-key"),
    unknown: withKey(`vv_live_${"a".repeat(43)}`),
    revoked: withKey(revoked.secret),
    expired: withKey(expired),
    "stream-only": withKey(await mintToken(key.secret)),
    "full key": withKey(key.secret),
    "session credential": withKey(await mintSession(ann)),
    cookie: ann,
    "signed-out cookie": gone,
    "identity token": bearer(await identityToken()),
    "foreign identity token": bearer(await identityToken({ issuer: "https://elsewhere.test/" })),
    admin: await signIn("admin@example.com"),
    box: bearer(boxSecrets["box-a"]),
  };
});

test("every route has a policy and a sample", () => {
  expect(routes.map((route) => route.name).sort()).toEqual(Object.keys(samples).sort());
  for (const route of routes) expect(Object.keys(expected)).toContain(route.policy);
});

async function expectVerdicts({ name, method, path, policy }: Route): Promise<void> {
  const sample = samples[name];
  if (!sample) throw new Error(`No sample for ${name}.`);
  for (const kind of kinds) {
    const headers = credentials[kind];
    const response = await call(path.replace("{id}", "0".repeat(64)), { method, headers, body: sample.body });
    const keyOnBearerRoute = policy === bearerOnly && "X-Api-Key" in headers;
    const verdict = keyOnBearerRoute ? missing : expected[policy][kind];
    const cell = `${name}, ${kind}`;
    expect(response.headers.get("X-Request-Id"), cell).toMatch(/^[0-9a-f-]{36}$/);
    expect(response.headers.get("Cache-Control"), cell).toBe("no-store");
    if (verdict === "in") {
      expect(response.status, cell).toBe(sample.status);
      await response.body?.cancel();
    } else if (verdict === hidden) {
      expect(response.status, cell).toBe(404);
      expect((await bodyOf(response, structuredErrorSchema)).error.code, cell).toBe(hidden);
    } else {
      expect(response.status, cell).toBe(401);
      expect(response.headers.get("WWW-Authenticate"), cell).toBe("Bearer");
      expect((await bodyOf(response, unwrappedErrorSchema)).code, cell).toBe(verdict);
    }
  }
}

/** A failure that is no 401 travels in the route's own envelope. */
async function expectEnvelope({ name, method, path, policy }: Route): Promise<void> {
  if (samples[name]?.body === undefined) return;
  const headers = { ...credentials["full key"], ...credentials.admin, ...credentials.box };
  const refused = await call(path, { method, headers: pick(policy, headers), body: "[1]" });
  expect(refused.status, name).toBe(400);
  const unwrapped = path === "/v1/streaming.create_token";
  await bodyOf<object>(refused, unwrapped ? unwrappedErrorSchema : structuredErrorSchema);
}

describe.each([...new Set(routes.map((route) => route.policy))])("routes under the policy %s", (policy) => {
  test("let in exactly whom they should", async () => {
    for (const route of routes.filter((candidate) => candidate.policy === policy)) {
      await expectVerdicts(route);
      await expectEnvelope(route);
    }
  });
});

test("box paths let in whom a box would", async () => {
  await beat("box-a");
  for (const kind of kinds) {
    const response = await call("/api/avatars", { headers: credentials[kind] });
    const verdict = expected.key[kind];
    expect(response.status, kind).toBe(verdict === "in" ? 200 : 401);
    if (verdict === "in") await response.body?.cancel();
    else expect((await bodyOf(response, unwrappedErrorSchema)).code, kind).toBe(verdict);
  }
});

function pick(policy: Policy, headers: Record<string, string>): Record<string, string> {
  if (policy === "box") return { Authorization: headers["Authorization"] ?? "" };
  if (policy === "full-key") return { "X-Api-Key": headers["X-Api-Key"] ?? "" };
  return { Cookie: headers["Cookie"] ?? "", Origin: origin };
}
