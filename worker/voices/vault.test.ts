import { beforeEach, describe, expect, test, vi } from "vitest";
import { structuredErrorSchema, unwrappedErrorSchema } from "../../contract/errors.ts";
import { voiceAccountSchema } from "../../contract/internal/voices.ts";
import { settingsReadSchema } from "../../contract/settings.ts";
import { byoEngines } from "../../contract/voices.ts";
import { cleanUp } from "../cleanup.ts";
import { envOf } from "../platform/env.ts";
import { identityToken, serveIdentityKeys } from "../testing/identity.ts";
import {
  asBox,
  bindings,
  bodyOf,
  call,
  captureLog,
  db,
  makeKey,
  moveClock,
  origin,
  post,
  signIn,
  withKey,
  type Browser,
} from "../testing/portal.ts";
import { goodKeys, serveProviders, troubles, type FakeProviders } from "./testing/providers.ts";
import { callWith, failing, put, putKey, voiceOf } from "./testing/vault.ts";
import { verifyTimeoutMs } from "./vault.ts";

let ann: Browser;
let providers: FakeProviders;
beforeEach(async () => {
  providers = serveProviders();
  ann = await signIn("ann@example.com");
});

const codeOf = async (response: Response) => {
  const { error } = await bodyOf(response, structuredErrorSchema);
  return [response.status, error.code];
};
const read = async (browser = ann) => voiceOf(await call("/auth/voice/settings", { headers: browser }));
const remove = (path: string, headers: Record<string, string> = ann) =>
  call(path, { method: "DELETE", headers });
const putEngine = (engine: string) => put("/auth/voice/engine", { engine }, ann);
const putDefault = (engine: string, voiceId = "v1") =>
  put("/auth/voice/default", { engine, voice_id: voiceId, display_name: "V" }, ann);
const ask = async (account = "ann@example.com") =>
  bodyOf(await post("/internal/voices/account", { account }, asBox("box-a")), voiceAccountSchema);
const storedRows = async () => (await db.prepare("SELECT * FROM voice_keys ORDER BY provider").all()).results;

/** Every write of the vault; all of them answer the refreshed settings. */
const writes: [name: string, method: string, path: string, body?: unknown][] = [
  ["saving a key", "PUT", "/auth/voice/key", { provider: "cartesia", key: goodKeys.cartesia }],
  ["removing a key", "DELETE", "/auth/voice/key/cartesia"],
  ["choosing an engine", "PUT", "/auth/voice/engine", { engine: "local" }],
  [
    "choosing a default",
    "PUT",
    "/auth/voice/default",
    { engine: "local", voice_id: "en-us+f2", display_name: "Nora" },
  ],
  ["forgetting the default", "DELETE", "/auth/voice/default"],
];
const all: typeof writes = [["reading", "GET", "/auth/voice/settings"], ...writes];

describe("reading", () => {
  test("a new account speaks with the built-in engine and has no keys", async () => {
    expect(await read()).toEqual({
      engine: "local",
      engines: [
        {
          id: "local",
          label: "Built-in voice",
          byo: false,
          provider: null,
          note: expect.stringMatching(/\.$/),
        },
        { id: "cartesia", label: "Cartesia", byo: true, provider: "cartesia", note: expect.any(String) },
        {
          id: "elevenlabs",
          label: "ElevenLabs",
          byo: true,
          provider: "elevenlabs",
          note: expect.any(String),
        },
      ],
      keys: [],
    });
  });

  test("shows nobody else's keys", async () => {
    await putKey(ann, "cartesia");
    expect((await read(await signIn("bea@example.com"))).keys).toEqual([]);
  });
});

describe("saving a key", () => {
  test.each(byoEngines)("keeps one that %s accepts, masked", async (provider) => {
    const answer = await putKey(ann, provider);
    expect(answer.status).toBe(200);
    const voice = await voiceOf(answer);
    const last4 = goodKeys[provider].slice(-4);
    const [key] = voice.keys;
    expect(voice.keys).toEqual([
      {
        provider,
        last4,
        masked: `sk-…${last4}`,
        created_at: expect.any(Number),
        updated_at: key?.created_at,
        validated: true,
        validated_at: key?.created_at,
      },
    ]);
    expect(await read()).toEqual(voice);
    const [row] = await storedRows();
    expect(row?.["sealed"]).toMatch(/^v1\.[0-9a-f]{8}\.[0-9a-f]{24}\.[0-9a-f]+$/);
    expect(JSON.stringify(row)).not.toContain(goodKeys[provider]);
  });

  test("does not choose the engine", async () => {
    expect((await voiceOf(await putKey(ann, "cartesia"))).engine).toBe("local");
  });

  test("another takes its place and keeps its age", async () => {
    const first = (await voiceOf(await putKey(ann, "cartesia"))).keys[0];
    moveClock(100);
    providers.trouble.cartesia = () => new Response(null, { status: 500 });
    const [second, ...rest] = (await voiceOf(await putKey(ann, "cartesia", "sk_car_another_1234"))).keys;
    expect(rest).toEqual([]);
    expect(second).toMatchObject({ last4: "1234", validated: null, validated_at: null });
    expect(second?.created_at).toBe(first?.created_at);
    expect(second?.updated_at).toBeGreaterThanOrEqual((first?.updated_at ?? 0) + 100);
    expect((await ask()).keys).toEqual([{ provider: "cartesia", key: "sk_car_another_1234" }]);
  });

  test.each(byoEngines)("keeps nothing of one that %s rejects, and the former stays", async (provider) => {
    expect(await codeOf(await putKey(ann, provider, "sk_not_a_real_key"))).toEqual([400, "key_rejected"]);
    expect(await storedRows()).toEqual([]);
    await putKey(ann, provider);
    const before = await storedRows();
    expect(await codeOf(await putKey(ann, provider, "sk_not_a_real_key"))).toEqual([400, "key_rejected"]);
    expect(await storedRows()).toEqual(before);
  });

  test("a 403 rejects as well", async () => {
    for (const provider of byoEngines) {
      providers.trouble[provider] = () => Response.json({}, { status: 403 });
      expect(await codeOf(await putKey(ann, provider))).toEqual([400, "key_rejected"]);
    }
  });

  test.each(["missing_permissions", "quota_exceeded", "detected_unusual_activity"])(
    "ElevenLabs' 401 for %s is no rejection: the key is genuine",
    async (status) => {
      providers.trouble.elevenlabs = () => Response.json({ detail: { status } }, { status: 401 });
      expect((await voiceOf(await putKey(ann, "elevenlabs"))).keys).toMatchObject([{ validated: true }]);
    },
  );

  test.each([...troubles, ["429", () => new Response(null, { status: 429 })] as const])(
    "%s keeps it unchecked",
    async (_name, trouble) => {
      captureLog();
      for (const provider of byoEngines) {
        providers.trouble[provider] = trouble;
        const { keys } = await voiceOf(await putKey(ann, provider));
        const entry = keys.find((key) => key.provider === provider);
        expect(entry).toMatchObject({ validated: null, validated_at: null });
      }
      expect((await ask()).keys).toHaveLength(2);
    },
  );

  test("waits five seconds for the provider", async () => {
    captureLog();
    const timeout = vi.spyOn(AbortSignal, "timeout");
    timeout.mockImplementation(() => AbortSignal.abort(new DOMException("late", "TimeoutError")));
    expect((await voiceOf(await putKey(ann, "cartesia"))).keys).toMatchObject([{ validated: null }]);
    expect(verifyTimeoutMs).toBe(5_000);
    expect(timeout).toHaveBeenCalledWith(verifyTimeoutMs);
  });

  test.each([
    ["an unknown provider", { provider: "local", key: goodKeys.cartesia }],
    ["no key", { provider: "cartesia" }],
    ["a short key", { provider: "cartesia", key: "short" }],
    ["a long key", { provider: "cartesia", key: "k".repeat(501) }],
    ["a key with a space", { provider: "cartesia", key: "sk_car 0123456789" }],
    ["a key with a line break", { provider: "cartesia", key: "sk_car_01234\r\nX-Evil: 1" }],
    ["an unknown field", { provider: "cartesia", key: goodKeys.cartesia, note: "mine" }],
  ])("%s is refused and asks nobody", async (_name, body) => {
    const response = await put("/auth/voice/key", body, ann);
    const text = await response.clone().text();
    expect(await codeOf(response)).toEqual([400, "invalid_body"]);
    expect(text).not.toContain(goodKeys.cartesia);
    expect(providers.seen).toEqual([]);
  });
});

describe("removing a key", () => {
  test("leaves the others, and again is fine", async () => {
    await putKey(ann, "cartesia");
    await putKey(ann, "elevenlabs");
    for (let times = 0; times < 2; times++) {
      const { keys } = await voiceOf(await remove("/auth/voice/key/cartesia"));
      expect(keys.map((key) => key.provider)).toEqual(["elevenlabs"]);
    }
  });

  test("of the engine in use falls back to the built-in one and forgets its default", async () => {
    await putKey(ann, "cartesia");
    await putDefault("cartesia");
    expect((await voiceOf(await remove("/auth/voice/key/cartesia"))).engine).toBe("local");
    expect(await ask()).toEqual({ engine: "local", default_voice: null, keys: [], unreadable: [] });
    expect(await db.prepare("SELECT * FROM voice_defaults").first()).toBeNull();
  });

  test("of another engine leaves the one in use and its default", async () => {
    await putKey(ann, "cartesia");
    await putKey(ann, "elevenlabs");
    await putDefault("elevenlabs");
    expect((await voiceOf(await remove("/auth/voice/key/cartesia"))).engine).toBe("elevenlabs");
    expect(await ask()).toMatchObject({ engine: "elevenlabs", default_voice: "v1" });
  });

  test("leaves other people's, and an unknown provider is refused", async () => {
    const bea = await signIn("bea@example.com");
    await putKey(bea, "cartesia");
    await remove("/auth/voice/key/cartesia");
    expect((await read(bea)).keys).toHaveLength(1);
    expect(await codeOf(await remove("/auth/voice/key/local"))).toEqual([400, "invalid_body"]);
  });
});

describe("choosing an engine", () => {
  test.each(byoEngines)("%s needs a saved key first", async (engine) => {
    expect(await codeOf(await putEngine(engine))).toEqual([409, "voice_key_required"]);
    expect(await codeOf(await putDefault(engine))).toEqual([409, "voice_key_required"]);
    expect(await db.prepare("SELECT * FROM settings").first()).toBeNull();
    expect(await db.prepare("SELECT * FROM voice_defaults").first()).toBeNull();
    await putKey(await signIn("bea@example.com"), engine);
    expect(await codeOf(await putEngine(engine))).toEqual([409, "voice_key_required"]);
    await putKey(ann, engine);
    expect((await voiceOf(await putEngine(engine))).engine).toBe(engine);
  });

  test("is the settings' own tts_provider, and leaves every other setting", async () => {
    await post("/auth/settings", { max_tokens: 77, voice_id_cartesia: "kept" }, ann);
    await putKey(ann, "cartesia");
    await putEngine("cartesia");
    const { settings } = await bodyOf(await call("/auth/settings", { headers: ann }), settingsReadSchema);
    expect(settings).toMatchObject({ tts_provider: "cartesia", max_tokens: 77, voice_id_cartesia: "kept" });
    await post("/auth/settings", { tts_provider: "local" }, ann);
    expect((await read()).engine).toBe("local");
  });

  test("a different one clears the default voice, the same one keeps it", async () => {
    await putKey(ann, "cartesia");
    await putDefault("cartesia");
    await putEngine("cartesia");
    expect((await ask()).default_voice).toBe("v1");
    await putEngine("local");
    await putEngine("cartesia");
    expect((await ask()).default_voice).toBeNull();
  });

  test("a default of an engine that the settings have left is ignored, and cleared at the next choice", async () => {
    await putDefault("local", "en-us+f2");
    await post("/auth/settings", { tts_provider: "cartesia" }, ann);
    expect(await ask()).toMatchObject({ engine: "cartesia", default_voice: null });
    await putEngine("local");
    expect(await ask()).toMatchObject({ engine: "local", default_voice: null });
  });

  test("at once with removing its key never leaves an engine without one", async () => {
    for (let round = 0; round < 5; round++) {
      await putKey(ann, "cartesia");
      const calls = [putEngine("cartesia"), remove("/auth/voice/key/cartesia"), putDefault("cartesia")];
      for (const answer of await Promise.all(calls)) expect([200, 409]).toContain(answer.status);
      expect(await ask()).toEqual({ engine: "local", default_voice: null, keys: [], unreadable: [] });
    }
  });

  test.each([[{ engine: "megaphone" }], [{}], [{ engine: "local", voice: "x" }]])(
    "%j is refused",
    async (body) => {
      expect(await codeOf(await put("/auth/voice/engine", body, ann))).toEqual([400, "invalid_body"]);
    },
  );
});

describe("choosing a default", () => {
  test("selects its engine, and the next choice takes its place", async () => {
    await putKey(ann, "elevenlabs");
    expect((await voiceOf(await putDefault("elevenlabs", "r1"))).engine).toBe("elevenlabs");
    expect(await ask()).toMatchObject({ engine: "elevenlabs", default_voice: "r1" });
    await putDefault("elevenlabs", "r2");
    expect((await ask()).default_voice).toBe("r2");
    expect((await voiceOf(await putDefault("local", "en-us+f2"))).engine).toBe("local");
    expect(await ask()).toMatchObject({ engine: "local", default_voice: "en-us+f2" });
  });

  test("forgetting it leaves the engine, and again is fine", async () => {
    await putKey(ann, "elevenlabs");
    await putDefault("elevenlabs");
    for (let times = 0; times < 2; times++) {
      expect((await voiceOf(await remove("/auth/voice/default"))).engine).toBe("elevenlabs");
      expect((await ask()).default_voice).toBeNull();
    }
  });

  test.each([
    [{ engine: "local", voice_id: " ", display_name: "V" }],
    [{ engine: "local", voice_id: "v".repeat(201), display_name: "V" }],
    [{ engine: "local", voice_id: "v" }],
    [{ engine: "local", voice_id: "v", display_name: "" }],
    [{ engine: "nobody", voice_id: "v", display_name: "V" }],
    [{ engine: "local", voice_id: "v", display_name: "V", more: 1 }],
  ])("%j is refused", async (body) => {
    expect(await codeOf(await put("/auth/voice/default", body, ann))).toEqual([400, "invalid_body"]);
  });
});

describe.each(all)("%s", (_name, method, path, body) => {
  const attempt = (headers: Record<string, string>) => call(path, { method, headers, body });

  test("answers the refreshed settings to the portal's own pages", async () => {
    const answer = await attempt({ Cookie: ann.Cookie, Origin: origin, "Sec-Fetch-Site": "same-origin" });
    expect(answer.status).toBe(200);
    expect(await voiceOf(answer)).toEqual(await read());
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
    expect(await storedRows()).toEqual([]);
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
    const before = await storedRows();
    const body = { provider: "cartesia", key: "sk_car_never_to_be_seen" };
    const answer = await callWith(noVault, "/auth/voice/key", { method: "PUT", headers: ann, body });
    expect(await codeOf(answer)).toEqual([503, "vault_unavailable"]);
    expect(await storedRows()).toEqual(before);
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
      await read(),
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

describe("the vault's keys", () => {
  const rotated = { VAULT_KEY: "cd".repeat(32), VAULT_KEY_PREVIOUS: "ab".repeat(32) };
  const retired = { VAULT_KEY: "cd".repeat(32) };
  const askOf = async (changes: object, account = "ann@example.com") =>
    bodyOf(
      await callWith(changes, "/internal/voices/account", {
        method: "POST",
        headers: asBox("box-a"),
        body: { account },
      }),
      voiceAccountSchema,
    );

  test("after a rotation, what is opened is sealed anew, and the old one can go", async () => {
    await putKey(ann, "cartesia");
    const keys = [{ provider: "cartesia", key: goodKeys.cartesia }];
    expect(await askOf(retired)).toMatchObject({ keys: [], unreadable: ["cartesia"] });
    expect((await askOf(rotated)).keys).toEqual(keys);
    expect((await askOf(retired)).keys).toEqual(keys);
  });

  test("the clean-up seals the rest anew, whoever they belong to", async () => {
    await putKey(ann, "cartesia");
    await putKey(await signIn("bea@example.com"), "elevenlabs");
    // One that cannot be opened holds up nobody.
    await db
      .prepare(
        "INSERT INTO voice_keys SELECT 'cy@example.com', provider, substr(sealed, 1, 60), last4, created_at, updated_at, validated, validated_at FROM voice_keys LIMIT 1",
      )
      .run();
    await cleanUp(envOf({ ...bindings, ...rotated }));
    expect((await askOf(retired)).keys).toHaveLength(1);
    expect((await askOf(retired, "bea@example.com")).keys).toEqual([
      { provider: "elevenlabs", key: goodKeys.elevenlabs },
    ]);
    expect((await askOf(retired, "cy@example.com")).unreadable).toHaveLength(1);
  });

  test("a sealed key in another's row or another provider's does not open", async () => {
    await putKey(ann, "cartesia");
    await db.prepare("UPDATE voice_keys SET account = 'bea@example.com'").run();
    expect(await ask("bea@example.com")).toMatchObject({ keys: [], unreadable: ["cartesia"] });
    await db.prepare("UPDATE voice_keys SET account = 'ann@example.com', provider = 'elevenlabs'").run();
    expect(await ask()).toMatchObject({ keys: [], unreadable: ["elevenlabs"] });
    await db.prepare("UPDATE voice_keys SET provider = 'cartesia'").run();
    expect((await ask()).keys).toHaveLength(1);
  });

  test("saving a key over an unreadable one heals it", async () => {
    await putKey(ann, "cartesia");
    await db.prepare("UPDATE voice_keys SET sealed = 'v1.broken'").run();
    expect((await ask()).unreadable).toEqual(["cartesia"]);
    expect((await read()).keys).toHaveLength(1);
    await putKey(ann, "cartesia");
    expect((await ask()).keys).toHaveLength(1);
  });
});

describe("a store that fails", () => {
  test.each(all)("is told as unavailable by %s", async (_name, method, path, body) => {
    await db.exec("ALTER TABLE voice_keys RENAME TO elsewhere");
    captureLog();
    const answer = await call(path, { method, headers: ann, body });
    expect(await codeOf(answer)).toEqual([503, "vault_unavailable"]);
  });

  test("between check and write loses nothing", async () => {
    await putKey(ann, "cartesia");
    const before = await storedRows();
    await db.exec(
      "CREATE TRIGGER full BEFORE UPDATE ON voice_keys BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    );
    const lines = captureLog();
    expect(await codeOf(await putKey(ann, "cartesia"))).toEqual([503, "vault_unavailable"]);
    await db.exec("DROP TRIGGER full");
    expect(await storedRows()).toEqual(before);
    expect(lines.some((line) => line.includes('"event":"vault_unavailable"'))).toBe(true);
  });

  test("in the middle of a choice leaves engine and default as they were", async () => {
    await putKey(ann, "cartesia");
    await putDefault("cartesia");
    await db.exec(
      "CREATE TRIGGER full BEFORE UPDATE ON settings BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    );
    captureLog();
    for (const attempt of [putEngine("local"), putDefault("local"), remove("/auth/voice/key/cartesia")]) {
      expect(await codeOf(await attempt)).toEqual([503, "vault_unavailable"]);
    }
    await db.exec("DROP TRIGGER full");
    expect(await ask()).toMatchObject({ engine: "cartesia", default_voice: "v1", keys: [{}] });
  });

  test.each(["{", "[]", '{"tts_provider":"megaphone"}'])(
    "the record %s is told as unreadable and stays",
    async (record) => {
      await putKey(ann, "cartesia");
      await post("/auth/settings", { max_tokens: 5 }, ann);
      await db.prepare("UPDATE settings SET record = ?").bind(record).run();
      const rows = await storedRows();
      captureLog();
      for (const [, method, path, body] of all) {
        const answer = await call(path, { method, headers: ann, body });
        expect(await codeOf(answer)).toEqual([503, "settings_unavailable"]);
      }
      expect(await db.prepare("SELECT record FROM settings").first()).toEqual({ record });
      expect(await storedRows()).toEqual(rows);
    },
  );

  test("of any kind other than the database is none of the vault's business", async () => {
    const down = { KV: failing<KVNamespace>(), MEDIA: failing<R2Bucket>() };
    const answer = await callWith(down, "/auth/voice/settings", { headers: ann });
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
  });
});
