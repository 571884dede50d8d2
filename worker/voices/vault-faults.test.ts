import { beforeEach, describe, expect, test } from "vitest";
import { structuredErrorSchema } from "../../contract/errors.ts";
import { callWith } from "../testing/altered.ts";
import { bodyOf, call, captureLog, db, post, signIn, type Browser } from "../testing/portal.ts";
import { serveProviders } from "./testing/providers.ts";
import {
  allCalls,
  askAsBox,
  codeOf,
  failing,
  putDefault,
  putEngine,
  putKey,
  remove,
  storedKeys,
} from "./testing/vault.ts";

let ann: Browser;
beforeEach(async () => {
  serveProviders();
  ann = await signIn("ann@example.com");
});

describe("a store that fails", () => {
  test.each(allCalls)("is told as unavailable by %s", async (_name, method, path, body) => {
    await db.exec("ALTER TABLE voice_keys RENAME TO elsewhere");
    captureLog();
    const answer = await call(path, { method, headers: ann, body });
    expect(await codeOf(answer)).toEqual([503, "vault_unavailable"]);
  });

  test("between check and write loses nothing", async () => {
    await putKey(ann, "cartesia");
    const before = await storedKeys();
    await db.exec(
      "CREATE TRIGGER full BEFORE UPDATE ON voice_keys BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    );
    const lines = captureLog();
    expect(await codeOf(await putKey(ann, "cartesia"))).toEqual([503, "vault_unavailable"]);
    await db.exec("DROP TRIGGER full");
    expect(await storedKeys()).toEqual(before);
    expect(lines.some((line) => line.includes('"event":"vault_unavailable"'))).toBe(true);
  });

  test("in the middle of a choice leaves engine and default as they were", async () => {
    await putKey(ann, "cartesia");
    await putDefault(ann, "cartesia");
    await db.exec(
      "CREATE TRIGGER full BEFORE UPDATE ON settings BEGIN SELECT RAISE(ABORT, 'disk full'); END",
    );
    captureLog();
    for (const attempt of [
      putEngine(ann, "local"),
      putDefault(ann, "local"),
      remove(ann, "/auth/voice/key/cartesia"),
    ]) {
      expect(await codeOf(await attempt)).toEqual([503, "vault_unavailable"]);
    }
    await db.exec("DROP TRIGGER full");
    expect(await askAsBox()).toMatchObject({ engine: "cartesia", default_voice: "v1", keys: [{}] });
  });

  test.each(["{", "[]", '{"tts_provider":"megaphone"}'])(
    "the record %s is told as unreadable and stays",
    async (record) => {
      await putKey(ann, "cartesia");
      await post("/auth/settings", { max_tokens: 5 }, ann);
      await db.prepare("UPDATE settings SET record = ?").bind(record).run();
      const rows = await storedKeys();
      captureLog();
      for (const [name, method, path, body] of allCalls) {
        if (name === "removing a key") continue;
        const answer = await call(path, { method, headers: ann, body });
        expect(await codeOf(answer)).toEqual([503, "settings_unavailable"]);
      }
      expect(await db.prepare("SELECT record FROM settings").first()).toEqual({ record });
      expect(await storedKeys()).toEqual(rows);
    },
  );

  test.each(["{", "[]", '{"tts_provider":"megaphone"}', '{"tts_provider":"cartesia","voice_id":5}'])(
    "the record %s keeps nobody from removing a key, and stays unreadable",
    async (record) => {
      await putKey(ann, "cartesia");
      await putKey(ann, "elevenlabs");
      await putDefault(ann, "cartesia");
      await db.prepare("UPDATE settings SET record = ?").bind(record).run();
      captureLog();
      for (let times = 0; times < 2; times++) {
        const answer = await remove(ann, "/auth/voice/key/cartesia");
        expect(answer.status).toBe(503);
        const { error } = await bodyOf(answer, structuredErrorSchema);
        expect(error).toMatchObject({
          code: "settings_unavailable",
          message: "The change was made, but the voice settings cannot be read right now.",
        });
        expect(await storedKeys()).toMatchObject([{ provider: "elevenlabs" }]);
        expect(await db.prepare("SELECT * FROM voice_defaults").first()).toBeNull();
      }
      const left = await db.prepare("SELECT record FROM settings").first<{ record: string }>();
      expect(left?.record).toBe(record.replace('"cartesia"', '"local"'));
      expect((await call("/auth/voice/settings", { headers: ann })).status).toBe(503);
    },
  );

  test("of any kind other than the database is none of the vault's business", async () => {
    const down = { KV: failing<KVNamespace>(), MEDIA: failing<R2Bucket>() };
    const answer = await callWith(down, "/auth/voice/settings", { headers: ann });
    expect(answer.status).toBe(200);
    await answer.body?.cancel();
  });
});
