import { beforeEach, describe, expect, test, vi } from "vitest";
import { byoEngines } from "../../contract/voices.ts";
import { captureLog, db, moveClock, signIn, type Browser } from "../testing/portal.ts";
import { goodKeys, serveProviders, troubles, type FakeProviders } from "./testing/providers.ts";
import {
  askAsBox,
  codeOf,
  put,
  putDefault,
  putKey,
  read,
  remove,
  storedKeys,
  voiceOf,
} from "./testing/vault.ts";
import { verifyTimeoutMs } from "./vault.ts";

let ann: Browser;
let providers: FakeProviders;
beforeEach(async () => {
  providers = serveProviders();
  ann = await signIn("ann@example.com");
});

describe("reading", () => {
  test("a new account speaks with the built-in engine and has no keys", async () => {
    expect(await read(ann)).toEqual({
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
    expect(await read(ann)).toEqual(voice);
    const [row] = await storedKeys();
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
    expect((await askAsBox()).keys).toEqual([{ provider: "cartesia", key: "sk_car_another_1234" }]);
  });

  test.each(byoEngines)("keeps nothing of one that %s rejects, and the former stays", async (provider) => {
    expect(await codeOf(await putKey(ann, provider, "sk_not_a_real_key"))).toEqual([400, "key_rejected"]);
    expect(await storedKeys()).toEqual([]);
    await putKey(ann, provider);
    const before = await storedKeys();
    expect(await codeOf(await putKey(ann, provider, "sk_not_a_real_key"))).toEqual([400, "key_rejected"]);
    expect(await storedKeys()).toEqual(before);
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
      expect((await askAsBox()).keys).toHaveLength(2);
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
      const { keys } = await voiceOf(await remove(ann, "/auth/voice/key/cartesia"));
      expect(keys.map((key) => key.provider)).toEqual(["elevenlabs"]);
    }
  });

  test("of the engine in use falls back to the built-in one and forgets its default", async () => {
    await putKey(ann, "cartesia");
    await putDefault(ann, "cartesia");
    expect((await voiceOf(await remove(ann, "/auth/voice/key/cartesia"))).engine).toBe("local");
    expect(await askAsBox()).toEqual({ engine: "local", default_voice: null, keys: [], unreadable: [] });
    expect(await db.prepare("SELECT * FROM voice_defaults").first()).toBeNull();
  });

  test("of another engine leaves the one in use and its default", async () => {
    await putKey(ann, "cartesia");
    await putKey(ann, "elevenlabs");
    await putDefault(ann, "elevenlabs");
    expect((await voiceOf(await remove(ann, "/auth/voice/key/cartesia"))).engine).toBe("elevenlabs");
    expect(await askAsBox()).toMatchObject({ engine: "elevenlabs", default_voice: "v1" });
  });

  test("leaves other people's, and an unknown provider is refused", async () => {
    const bea = await signIn("bea@example.com");
    await putKey(bea, "cartesia");
    await remove(ann, "/auth/voice/key/cartesia");
    expect((await read(bea)).keys).toHaveLength(1);
    expect(await codeOf(await remove(ann, "/auth/voice/key/local"))).toEqual([400, "invalid_body"]);
  });
});
