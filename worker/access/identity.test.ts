import { describe, expect, test, vi } from "vitest";
import { identityProvider, identityToken } from "../testing/identity.ts";
import { verifyIdentity } from "./identity.ts";

/** Settings of their own for each test: key sets are kept per settings. */
const settings = () => ({ ...identityProvider, jwksUrl: new URL(identityProvider.jwksUrl) });

describe("an identity provider that cannot serve its keys", () => {
  test.each([
    ["refuses the connection", async () => Promise.reject(new TypeError("connection refused"))],
    ["answers 500", async () => new Response("down", { status: 500 })],
    ["answers no JSON", async () => new Response("<html>", { status: 200 })],
  ])("that %s is not the caller's fault", async (_label, answer) => {
    vi.spyOn(globalThis, "fetch").mockImplementation(answer);
    const outcome = await verifyIdentity(await identityToken(), settings());
    expect(outcome).toMatchObject({ ok: false, failure: { code: "identity_unavailable" } });
  });

  test("but a key the provider does not list is", async () => {
    vi.spyOn(globalThis, "fetch").mockImplementation(async () => Response.json({ keys: [] }));
    const outcome = await verifyIdentity(await identityToken(), settings());
    expect(outcome).toMatchObject({ ok: false, failure: { code: "invalid_api_key" } });
  });
});
