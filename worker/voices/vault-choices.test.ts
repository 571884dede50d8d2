import { beforeEach, describe, expect, test } from "vitest";
import { settingsReadSchema } from "../../contract/settings.ts";
import { byoEngines } from "../../contract/voices.ts";
import { bodyOf, call, db, post, signIn, type Browser } from "../testing/portal.ts";
import { serveProviders } from "./testing/providers.ts";
import {
  askAsBox,
  codeOf,
  put,
  putDefault,
  putEngine,
  putKey,
  read,
  remove,
  voiceOf,
} from "./testing/vault.ts";

let ann: Browser;
beforeEach(async () => {
  serveProviders();
  ann = await signIn("ann@example.com");
});

describe("choosing an engine", () => {
  test.each(byoEngines)("%s needs a saved key first", async (engine) => {
    expect(await codeOf(await putEngine(ann, engine))).toEqual([409, "voice_key_required"]);
    expect(await codeOf(await putDefault(ann, engine))).toEqual([409, "voice_key_required"]);
    expect(await db.prepare("SELECT * FROM settings").first()).toBeNull();
    expect(await db.prepare("SELECT * FROM voice_defaults").first()).toBeNull();
    await putKey(await signIn("bea@example.com"), engine);
    expect(await codeOf(await putEngine(ann, engine))).toEqual([409, "voice_key_required"]);
    await putKey(ann, engine);
    expect((await voiceOf(await putEngine(ann, engine))).engine).toBe(engine);
  });

  test("is the settings' own tts_provider, and leaves every other setting", async () => {
    await post("/auth/settings", { max_tokens: 77, voice_id_cartesia: "kept" }, ann);
    await putKey(ann, "cartesia");
    await putEngine(ann, "cartesia");
    const { settings } = await bodyOf(await call("/auth/settings", { headers: ann }), settingsReadSchema);
    expect(settings).toMatchObject({ tts_provider: "cartesia", max_tokens: 77, voice_id_cartesia: "kept" });
    await post("/auth/settings", { tts_provider: "local" }, ann);
    expect((await read(ann)).engine).toBe("local");
  });

  test("a different one clears the default voice, the same one keeps it", async () => {
    await putKey(ann, "cartesia");
    await putDefault(ann, "cartesia");
    await putEngine(ann, "cartesia");
    expect((await askAsBox()).default_voice).toBe("v1");
    await putEngine(ann, "local");
    await putEngine(ann, "cartesia");
    expect((await askAsBox()).default_voice).toBeNull();
  });

  test("a default of an engine that the settings have left is ignored, and cleared at the next choice", async () => {
    await putDefault(ann, "local", "en-us+f2");
    await post("/auth/settings", { tts_provider: "cartesia" }, ann);
    expect(await askAsBox()).toMatchObject({ engine: "cartesia", default_voice: null });
    await putEngine(ann, "local");
    expect(await askAsBox()).toMatchObject({ engine: "local", default_voice: null });
  });

  test("at once with removing its key never leaves an engine without one", async () => {
    for (let round = 0; round < 5; round++) {
      await putKey(ann, "cartesia");
      const calls = [
        putEngine(ann, "cartesia"),
        remove(ann, "/auth/voice/key/cartesia"),
        putDefault(ann, "cartesia"),
      ];
      for (const answer of await Promise.all(calls)) expect([200, 409]).toContain(answer.status);
      expect(await askAsBox()).toEqual({ engine: "local", default_voice: null, keys: [], unreadable: [] });
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
    expect((await voiceOf(await putDefault(ann, "elevenlabs", "r1"))).engine).toBe("elevenlabs");
    expect(await askAsBox()).toMatchObject({ engine: "elevenlabs", default_voice: "r1" });
    await putDefault(ann, "elevenlabs", "r2");
    expect((await askAsBox()).default_voice).toBe("r2");
    expect((await voiceOf(await putDefault(ann, "local", "en-us+f2"))).engine).toBe("local");
    expect(await askAsBox()).toMatchObject({ engine: "local", default_voice: "en-us+f2" });
  });

  test("forgetting it leaves the engine, and again is fine", async () => {
    await putKey(ann, "elevenlabs");
    await putDefault(ann, "elevenlabs");
    for (let times = 0; times < 2; times++) {
      expect((await voiceOf(await remove(ann, "/auth/voice/default"))).engine).toBe("elevenlabs");
      expect((await askAsBox()).default_voice).toBeNull();
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
