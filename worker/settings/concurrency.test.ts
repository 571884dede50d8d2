// Saves at once against a real D1: none loses a field, and a record that broke is never written over.

import * as fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { reasoningLevels, effortLevels } from "../../contract/models.ts";
import { settingsReadSchema, settingsSavedSchema, type SettingsPatch } from "../../contract/settings.ts";
import { bodyOf, call, captureLog, db, makeKey, post, signIn, withKey } from "../testing/portal.ts";

let key: Record<string, string>;
beforeEach(async () => {
  key = withKey((await makeKey(await signIn("ann@example.com"))).secret);
});

const read = async () =>
  (await bodyOf(await call("/auth/settings", { headers: key }), settingsReadSchema)).settings;

async function save(patch: SettingsPatch) {
  const response = await post("/auth/settings", patch, key);
  expect(response.status).toBe(200);
  return (await bodyOf(response, settingsSavedSchema)).settings;
}

/** Every code unit there is, halves of pairs among them. */
const text = fc
  .array(fc.oneof(fc.integer({ min: 0, max: 0xff_ff }), fc.constantFrom(0, 34, 39, 36, 92, 0xd8_00)), {
    maxLength: 12,
  })
  .map((units) => String.fromCharCode(...units));
const share = fc.option(
  fc.double({ min: 0, max: 1, noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
);
const voice = fc.option(text);

const patches = fc.record<SettingsPatch>(
  {
    system_prompt: text,
    max_tokens: fc.integer({ min: 1, max: 8192 }),
    temperature: share,
    top_p: share,
    effort: fc.constantFrom(...effortLevels),
    reasoning: fc.option(fc.constantFrom(...reasoningLevels)),
    emotion_responsive: fc.boolean(),
    tts_provider: fc.constantFrom("local", "cartesia", "elevenlabs"),
    avatar: fc.string({ minLength: 1 }),
    voice_id: voice,
    voice_id_local: voice,
    voice_id_cartesia: voice,
    tool_phrases: fc.dictionary(
      fc.constantFrom("look_up", "book", "end_call"),
      fc.constant({ en: "One moment." }),
    ),
  },
  { requiredKeys: [], noNullPrototype: true },
);

const fields = (patch: SettingsPatch) => Object.keys(patch) as (keyof SettingsPatch)[];

test("of saves at once every field ends as one of them set it, and fields that none set stay", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(patches, { minLength: 2, maxLength: 8 }), async (batch) => {
      const before = await read();
      const answers = await Promise.all(batch.map(save));
      const after = await read();
      // Some order of the saves explains what each answered: whoever comes later sees what came before.
      for (const [at, patch] of batch.entries()) expect(answers[at]).toMatchObject(patch);
      for (const field of new Set([...Object.keys(before), ...Object.keys(after)]) as Set<
        keyof SettingsPatch
      >) {
        const setters = batch.filter((patch) => field in patch);
        const candidates = setters.length > 0 ? setters.map((patch) => patch[field]) : [before[field]];
        expect(candidates).toContainEqual(after[field]);
      }
      expect(answers).toContainEqual(after);
    }),
    { numRuns: 25 },
  );
});

test("fifty at once, each of one field, all stay", async () => {
  await fc.assert(
    fc.asyncProperty(patches, async (whole) => {
      const each = fields(whole).map((field) => ({ [field]: whole[field] }) as SettingsPatch);
      fc.pre(each.length > 0);
      const fifty = Array.from({ length: 50 }, (_, at) => each[at % each.length] ?? {});
      await Promise.all(fifty.map(save));
      expect(await read()).toMatchObject(whole);
    }),
    { numRuns: 4 },
  );
});

test("whatever lies in the store instead of a record is neither answered nor written over", async () => {
  await save({ max_tokens: 5 });
  captureLog();
  const junk = fc.oneof(
    text,
    fc.json({ maxDepth: 1 }).filter((json) => !json.startsWith("{")),
    fc.constantFrom(
      '{"max_tokens":',
      '{"effort":"extreme"}',
      '{"tools":{}}',
      '{"avatar":[]}',
      "{'a':1}",
      '{"a":1}}',
    ),
  );
  await fc.assert(
    fc.asyncProperty(junk, patches, async (record, patch) => {
      await db.prepare("UPDATE settings SET record = ?").bind(record).run();
      const stored = await db.prepare("SELECT hex(record) AS bytes FROM settings").first("bytes");
      const answers = [
        await call("/auth/settings", { headers: key }),
        await post("/auth/settings", patch, key),
      ];
      for (const response of answers) {
        expect(response.status).toBe(503);
        expect(await response.json()).toMatchObject({ error: { code: "settings_unavailable" } });
      }
      expect(await db.prepare("SELECT hex(record) AS bytes FROM settings").first("bytes")).toBe(stored);
    }),
    { numRuns: 40 },
  );
});
