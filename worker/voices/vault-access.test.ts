import { beforeEach, describe, expect, test } from "vitest";
import { unwrappedErrorSchema } from "../../contract/errors.ts";
import { voiceAccountSchema } from "../../contract/internal/voices.ts";
import { settingsReadSchema } from "../../contract/settings.ts";
import { callWith } from "../testing/altered.ts";
import { identityToken, serveIdentityKeys } from "../testing/identity.ts";
import { asBox, bodyOf, call, makeKey, origin, signIn, withKey, type Browser } from "../testing/portal.ts";
import { serveProviders } from "./testing/providers.ts";
import { allCalls, codeOf, putKey, read, storedKeys, voiceOf } from "./testing/vault.ts";

let ann: Browser;
beforeEach(async () => {
  serveProviders();
  ann = await signIn("ann@example.com");
});

describe.each(allCalls)("%s", (_name, method, path, body) => {
  const attempt = (headers: Record<string, string>) => call(path, { method, headers, body });

  test("answers the refreshed settings to the portal's own pages", async () => {
    const answer = await attempt({ Cookie: ann.Cookie, Origin: origin, "Sec-Fetch-Site": "same-origin" });
    expect(answer.status).toBe(200);
    expect(await voiceOf(answer)).toEqual(await read(ann));
  });

  test.each([
    [{ Origin: "https://evil.test" }],
    [{ Origin: "null" }],
    [{ Origin: origin, "Sec-Fetch-Site": "cross-site" }],
    [{ "Sec-Fetch-Site": "cross-site" }],
    [{ "Sec-Fetch-Site": "same-site" }],
  ])("%j is another site", async (headers) => {
    serveIdentityKeys();
    const bearer = { Authorization: `Bearer ${await identityToken()}` };
    for (const credential of [{ Cookie: ann.Cookie }, bearer]) {
      expect(await codeOf(await attempt({ ...credential, ...headers }))).toEqual([409, "cross_origin"]);
    }
    expect(await storedKeys()).toEqual([]);
  });

  test("a program with an identity token names no site", async () => {
    serveIdentityKeys();
    expect((await attempt({ Authorization: `Bearer ${await identityToken()}` })).status).toBe(200);
  });

  test("a key of the box plane does not open it", async () => {
    const refused = await attempt(withKey((await makeKey(ann)).secret));
    expect(refused.status).toBe(401);
    expect((await bodyOf(refused, unwrappedErrorSchema)).code).toBe("invalid_api_key");
  });
});

describe("without a vault", () => {
  const noVault = { VAULT_KEY: "" };

  test("a key cannot be saved, and is shown to nobody", async () => {
    await putKey(ann, "cartesia");
    const before = await storedKeys();
    const body = { provider: "cartesia", key: "sk_car_never_to_be_seen" };
    const answer = await callWith(noVault, "/auth/voice/key", { method: "PUT", headers: ann, body });
    expect(await codeOf(answer)).toEqual([503, "vault_unavailable"]);
    expect(await storedKeys()).toEqual(before);
  });

  test("the built-in engine and its voices are chosen as ever, and a key can still be removed", async () => {
    await putKey(ann, "cartesia");
    const change = async (method: string, path: string, body?: object) =>
      (await callWith(noVault, path, { method, headers: ann, body })).status;
    const voice = { engine: "local", voice_id: "en", display_name: "English" };
    expect(await change("PUT", "/auth/voice/engine", { engine: "local" })).toBe(200);
    expect(await change("PUT", "/auth/voice/default", voice)).toBe(200);
    expect(await change("DELETE", "/auth/voice/default")).toBe(200);
    expect(await change("DELETE", "/auth/voice/key/cartesia")).toBe(200);
    expect((await voiceOf(await call("/auth/voice/settings", { headers: ann }))).keys).toEqual([]);
  });

  test("reading works, a box gets no key, and the settings say that the engines are not to be had", async () => {
    await putKey(ann, "cartesia");
    expect(await voiceOf(await callWith(noVault, "/auth/voice/settings", { headers: ann }))).toEqual(
      await read(ann),
    );
    const account = { method: "POST", headers: asBox("box-a"), body: { account: "ann@example.com" } };
    const answer = await callWith(noVault, "/internal/voices/account", account);
    expect(await bodyOf(answer, voiceAccountSchema)).toMatchObject({ keys: [], unreadable: ["cartesia"] });
    const available = async (response: Response) =>
      (await bodyOf(response, settingsReadSchema)).tts_providers.map((row) => row.available);
    expect(await available(await callWith(noVault, "/auth/settings", { headers: ann }))).toEqual([
      true,
      false,
      false,
    ]);
    expect(await available(await call("/auth/settings", { headers: ann }))).toEqual([true, true, true]);
  });
});
