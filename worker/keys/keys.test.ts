import { beforeEach, describe, expect, test } from "vitest";
import { z } from "zod";
import {
  createTokenResponseSchema,
  keyCreatedSchema,
  keyListSchema,
  secretPattern,
  sessionCredentialSchema,
} from "../../contract/credentials.ts";
import { limits } from "../../contract/limits.ts";
import { unwrappedErrorSchema } from "../../contract/errors.ts";
import { identityToken, serveIdentityKeys } from "../testing/identity.ts";
import { sha256Hex } from "../platform/digest.ts";
import {
  beat,
  bodyOf,
  call,
  db,
  jsonOf,
  makeKey,
  mintToken,
  moveClock,
  post,
  signIn,
  withKey,
  type Browser,
} from "../testing/portal.ts";
import { mintSessionCredential } from "./minting.ts";

let ann: Browser;
beforeEach(async () => {
  ann = await signIn("ann@example.com");
});

const listOf = async (browser: Browser) =>
  (await bodyOf(await call("/auth/keys", { headers: browser }), keyListSchema)).keys;
const nowSeconds = () => Math.floor(Date.now() / 1000);

async function fillUpTo(count: number): Promise<void> {
  const insert = db.prepare(
    "INSERT INTO credentials (digest, kind, scope, account, name, last4, created_at, revoked_at) " +
      "VALUES (?, 'key', 'full', 'ann@example.com', 'k', 'xxxx', 1, ?)",
  );
  await db.batch(Array.from({ length: count }, (_, i) => insert.bind(`digest-${i}`, i % 2 ? 1 : null)));
}

describe("API keys", () => {
  test("are shown once in the clear and kept as digests", async () => {
    const answer = await post("/auth/keys", { name: "  my key " }, ann);
    expect(answer.status).toBe(201);
    const { key } = await bodyOf(answer, keyCreatedSchema);
    const { secret, ...record } = key;
    expect(secret).toMatch(secretPattern);
    expect(record).toMatchObject({
      id: await sha256Hex(secret),
      name: "my key",
      hint: `vv_live_…${secret.slice(-4)}`,
      last4: secret.slice(-4),
      created_by: "ann@example.com",
      revoked: false,
      revoked_at: null,
      revoked_by: null,
    });
    expect(await listOf(ann)).toEqual([record]);
    const { results } = await db.prepare("SELECT * FROM credentials").all();
    expect(JSON.stringify(results)).not.toContain(secret);
  });

  test("revoked ones stay listed, and revoking again changes nothing", async () => {
    const key = await makeKey(ann);
    for (let i = 0; i < 2; i++) {
      const answer = await call(`/auth/keys/${key.id}`, { method: "DELETE", headers: ann });
      expect([answer.status, await jsonOf(answer)]).toEqual([200, { ok: true }]);
    }
    const [listed] = await listOf(ann);
    expect(listed).toMatchObject({ id: key.id, revoked: true, revoked_by: "ann@example.com" });
    expect(listed?.revoked_at).toBeGreaterThan(0);
    const { revoked } = await jsonOf<{ revoked: string[] }>(await beat("box-a"));
    expect(revoked).toEqual([key.id]);
  });

  test("somebody else's key is no key at all", async () => {
    const key = await makeKey(await signIn("bea@example.com"));
    const remove = (id: string) => call(`/auth/keys/${id}`, { method: "DELETE", headers: ann });
    const [theirs, unknown] = [await remove(key.id), await remove("0".repeat(64))];
    expect([theirs.status, unknown.status]).toEqual([404, 404]);
    expect(await theirs.text()).toBe(await unknown.text());
    expect((await call("/auth/settings", { headers: withKey(key.secret) })).status).toBe(200);
    expect(await listOf(ann)).toEqual([]);
  });

  test("revoking a key revokes the tokens it minted", async () => {
    const key = await makeKey(ann);
    const token = await mintToken(key.secret);
    expect((await call("/v1/public/tones", { headers: withKey(token) })).status).toBe(200);
    await call(`/auth/keys/${key.id}`, { method: "DELETE", headers: ann });
    expect((await call("/v1/public/tones", { headers: withKey(token) })).status).toBe(401);
  });

  test.each([
    [{}],
    [{ name: "" }],
    [{ name: "   " }],
    [{ name: 7 }],
    [{ name: "x".repeat(81) }],
    [{ name: null }],
  ])("the name %j is refused", async (body) => {
    const answer = await post("/auth/keys", body, ann);
    expect(answer.status).toBe(400);
    expect(await jsonOf(answer)).toMatchObject({ error: { code: "invalid_name" } });
  });

  test("unknown fields are refused", async () => {
    const answer = await post("/auth/keys", { name: "k", scope: "root" }, ann);
    expect(await jsonOf(answer)).toMatchObject({
      error: { code: "invalid_body", message: 'Unknown field "scope".' },
    });
  });

  test("50 at once at the cap's edge never pass it, revoked ones counted", async () => {
    await fillUpTo(limits.keysPerAccount - 3);
    const answers = await Promise.all(
      Array.from({ length: 50 }, () => post("/auth/keys", { name: "k" }, ann)),
    );
    expect(answers.filter((answer) => answer.status === 201)).toHaveLength(3);
    const refused = answers.filter((answer) => answer.status === 409);
    expect(refused).toHaveLength(47);
    for (const answer of refused)
      expect(await jsonOf(answer)).toMatchObject({ error: { code: "key_limit_reached" } });
    expect(await listOf(ann)).toHaveLength(limits.keysPerAccount);
    expect((await post("/auth/keys", { name: "k" }, await signIn("bea@example.com"))).status).toBe(201);
  });
});

describe("session credentials", () => {
  test("live an hour and do what a full key does, but mint nothing", async () => {
    const answer = await post("/auth/session/credential", undefined, ann);
    expect(answer.status).toBe(201);
    const { credential } = await bodyOf(answer, sessionCredentialSchema);
    expect(credential.secret).toMatch(/^vv_ses_/);
    expect(credential).toMatchObject({ expires_in: 3600, scope: "full" });
    const headers = withKey(credential.secret);
    expect((await call("/auth/settings", { headers })).status).toBe(200);
    const minting = await post("/v1/streaming.create_token", {}, headers);
    expect((await bodyOf(minting, unwrappedErrorSchema)).code).toBe("insufficient_scope");
    moveClock(3600);
    expect((await call("/auth/settings", { headers })).status).toBe(401);
  });

  test("an identity token mints one too, with no portal session to die with", async () => {
    serveIdentityKeys();
    const headers = { Authorization: `Bearer ${await identityToken()}` };
    const answer = await post("/auth/session/credential", undefined, headers);
    const { credential } = await bodyOf(answer, sessionCredentialSchema);
    expect(credential.expires_in).toBe(limits.sessionCredentialSeconds);
    expect((await call("/auth/settings", { headers: withKey(credential.secret) })).status).toBe(200);
  });

  test("none is minted behind a logout that came first", async () => {
    const caller = { account: "ann@example.com", kind: "cookie", scope: "full", admin: false } as const;
    const gone = { ...caller, digest: "0".repeat(64), expiresAt: nowSeconds() + 9999 };
    const outcome = await mintSessionCredential(db, gone);
    expect(outcome).toMatchObject({ ok: false, failure: { code: "invalid_api_key" } });
  });

  test("a GET mints none", async () => {
    const answer = await call("/auth/session/credential", { headers: ann });
    expect([answer.status, answer.headers.get("Allow")]).toEqual([405, "POST"]);
  });
});

describe("stream-only tokens", () => {
  test.each([
    [{}, 300],
    [{ ttl_seconds: 5 }, 30],
    [{ ttl_seconds: -1 }, 30],
    [{ ttl_seconds: 1e9 }, 600],
    [{ ttl: 120 }, 120],
    [{ ttl_seconds: 60, ttl: 120 }, 60],
    [{ ttl_seconds: 90.7 }, 90],
  ])("%j lives %i seconds", async (body, seconds) => {
    const key = await makeKey(ann);
    const before = nowSeconds();
    const answer = await post("/v1/streaming.create_token", body, withKey(key.secret));
    expect(answer.status).toBe(200);
    const { data } = await bodyOf(answer, createTokenResponseSchema);
    expect(data.token).toMatch(/^vv_tmp_/);
    expect(data.expires_at - before).toBeGreaterThanOrEqual(seconds);
    expect(data.expires_at - nowSeconds()).toBeLessThanOrEqual(seconds);
  });

  test("an empty body is the default, in either form of the key", async () => {
    const { secret } = await makeKey(ann);
    const answer = await post("/v1/streaming.create_token", undefined, { Authorization: `Bearer ${secret}` });
    expect(answer.status).toBe(200);
  });

  test.each([["{"], ["[]"], ['"x"'], ["null"], ['{"ttl_seconds":"60"}'], ['{"unknown":1}']])(
    "the body %s is refused, unwrapped",
    async (body) => {
      const { secret } = await makeKey(ann);
      const answer = await post("/v1/streaming.create_token", body, withKey(secret));
      expect(answer.status).toBe(400);
      expect((await bodyOf(answer, unwrappedErrorSchema)).code).toBe("invalid_body");
    },
  );

  test("mint no further tokens, and end on time", async () => {
    const { secret } = await makeKey(ann);
    const token = await mintToken(secret, { ttl_seconds: 30 });
    const minting = await post("/v1/streaming.create_token", {}, withKey(token));
    expect((await bodyOf(minting, unwrappedErrorSchema)).code).toBe("insufficient_scope");
    const reading = await call("/auth/settings", { headers: withKey(token) });
    expect((await bodyOf(reading, unwrappedErrorSchema)).code).toBe("insufficient_scope");
    moveClock(30);
    const late = await call("/v1/public/tones", { headers: withKey(token) });
    expect((await bodyOf(late, unwrappedErrorSchema)).code).toBe("invalid_api_key");
  });

  test("a key store that fails is mint_failed, unwrapped", async () => {
    const { secret } = await makeKey(ann);
    await db.exec(
      "CREATE TRIGGER full BEFORE INSERT ON credentials BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    );
    const answer = await post("/v1/streaming.create_token", {}, withKey(secret));
    expect(answer.status).toBe(503);
    const body = await bodyOf(answer, z.object({ code: z.string(), message: z.string() }));
    expect(body.code).toBe("mint_failed");
    expect(body.message).not.toContain("disk");
  });
});
