import { describe, expect, test } from "vitest";
import { callWith } from "../testing/altered.ts";
import { identityToken, serveIdentityKeys } from "../testing/identity.ts";
import { call, jsonOf, makeKey, origin, post, signIn, withKey } from "../testing/portal.ts";

describe("forms of a credential", () => {
  test("a key works in X-Api-Key and as a bearer, never in a query", async () => {
    const { secret } = await makeKey(await signIn("ann@example.com"));
    expect((await call("/auth/settings", { headers: withKey(secret) })).status).toBe(200);
    expect((await call("/auth/settings", { headers: { Authorization: `Bearer ${secret}` } })).status).toBe(
      200,
    );
    const inQuery = `/auth/settings?session_token=${secret}`;
    for (const headers of [{}, { Upgrade: "websocket" }] as Record<string, string>[]) {
      const refused = await callWith({}, inQuery, { headers });
      expect([refused.status, (await jsonOf(refused)).code]).toEqual([401, "missing_api_key"]);
    }
  });

  test("an explicit credential outranks the cookie beside it", async () => {
    const browser = await signIn("ann@example.com");
    const headers = { ...browser, ...withKey(`vv_live_${"a".repeat(43)}`) };
    expect((await jsonOf(await call("/auth/me", { headers }))).code).toBe("invalid_api_key");
  });

  test("the loopback cookie's name opens nothing over https", async () => {
    const browser = await signIn("ann@example.com");
    const response = await call("https://portal.example.com/auth/me", { headers: browser });
    expect((await jsonOf(response)).code).toBe("missing_api_key");
  });
});

describe("writes under the cookie", () => {
  test.each([
    ["another origin", { Origin: "https://elsewhere.test" }],
    ["another port of this host", { Origin: "http://localhost:1" }],
    ["no origin at all", {}],
    ["a cross-site fetch", { "Sec-Fetch-Site": "cross-site" }],
    ["a same-site fetch", { "Sec-Fetch-Site": "same-site" }],
    ["an opaque origin", { Origin: "null", "Sec-Fetch-Site": "same-origin" }],
  ])("%s is refused", async (_label, headers) => {
    const { Cookie } = await signIn("ann@example.com");
    for (const path of ["/auth/keys", "/auth/logout", "/auth/settings", "/auth/session/credential"]) {
      const response = await post(path, {}, { Cookie, ...headers });
      expect(response.status).toBe(409);
      expect(await jsonOf(response)).toMatchObject({ error: { code: "cross_origin" } });
    }
    expect((await call("/auth/me", { headers: { Cookie } })).status).toBe(200);
  });

  test.each([
    ["its own origin", { Origin: origin }],
    ["a same-origin fetch", { "Sec-Fetch-Site": "same-origin" }],
  ])("%s is welcome", async (_label, headers) => {
    const { Cookie } = await signIn("ann@example.com");
    expect((await post("/auth/keys", { name: "k" }, { Cookie, ...headers })).status).toBe(201);
  });

  test("a key needs no origin", async () => {
    const { secret } = await makeKey(await signIn("ann@example.com"));
    expect((await post("/auth/settings", { max_tokens: 5 }, withKey(secret))).status).toBe(200);
  });
});

const meWith = async (token: string) => {
  serveIdentityKeys();
  return call("/auth/me", { headers: { Authorization: `Bearer ${token}` } });
};

describe("identity tokens", () => {
  test("the account is the lower-cased address", async () => {
    expect(await jsonOf(await meWith(await identityToken()))).toEqual({
      email: "person@example.com",
      admin: false,
    });
  });

  test.each([
    ["an unverified address", { claims: { email: "a@example.com", email_verified: false } }],
    ["no word on verification", { claims: { email: "a@example.com" } }],
    ["no address", { claims: { email_verified: true } }],
    ["another audience", { audience: "somebody-else" }],
    ["another issuer", { issuer: "https://elsewhere.test/" }],
    ["a past expiry", { expiresIn: "-1m" }],
  ])("%s is refused", async (_label, facts) => {
    const response = await meWith(await identityToken(facts));
    expect(response.status).toBe(401);
    expect((await jsonOf(response)).code).toBe("invalid_api_key");
  });

  test("an unsigned token and a broken signature are refused", async () => {
    const [header = "", payload = "", signature = ""] = (await identityToken()).split(".");
    const none = btoa(JSON.stringify({ alg: "none" })).replaceAll("=", "");
    const flipped = `${signature.slice(0, -4)}${signature.endsWith("AAAA") ? "BBBB" : "AAAA"}`;
    for (const token of [`${none}.${payload}.x`, `${header}.${payload}.${flipped}`]) {
      expect((await jsonOf(await meWith(token))).code).toBe("invalid_api_key");
    }
  });

  test("the exchange gives the portal's cookie", async () => {
    serveIdentityKeys();
    const headers = { Authorization: `Bearer ${await identityToken()}` };
    const response = await post("/auth/session/exchange", undefined, headers);
    const cookie = response.headers.get("Set-Cookie")?.split(";")[0] ?? "";
    expect(await jsonOf(response)).toMatchObject({ ok: true, email: "person@example.com" });
    expect(await jsonOf(await call("/auth/me", { headers: { Cookie: cookie } }))).toMatchObject({
      email: "person@example.com",
    });
  });
});
