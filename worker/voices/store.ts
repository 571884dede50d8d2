// The voice tables: sealed keys, defaults, and the count of custom previews.

import { and, eq, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { builtinVoiceEngine, type VoiceEngine } from "../../contract/settings.ts";
import type { ByoEngine } from "../../contract/voices.ts";
import { settings } from "../platform/schema/settings.ts";
import { previewCalls, voiceDefaults, voiceKeys } from "../platform/schema/voices.ts";
import { prepare } from "../platform/statement.ts";
import { mergeQuery, recordIsWritable, storedVoiceEngine } from "../settings/store.ts";

export type VoiceKeyRow = typeof voiceKeys.$inferSelect;
export type VoiceDefaultRow = typeof voiceDefaults.$inferSelect;

export interface VoiceRows {
  /** The text of the settings record; null when nothing was ever saved. */
  record: string | null;
  chosen: VoiceDefaultRow | undefined;
  keys: VoiceKeyRow[];
}

/** Everything stored of how an account speaks, as of one moment. */
export async function readVoiceRows(db: D1Database, account: string): Promise<VoiceRows> {
  const d1 = drizzle(db);
  const [records, chosen, keys] = await d1.batch([
    d1.select({ record: settings.record }).from(settings).where(eq(settings.account, account)),
    d1.select().from(voiceDefaults).where(eq(voiceDefaults.account, account)),
    d1.select().from(voiceKeys).where(eq(voiceKeys.account, account)).orderBy(voiceKeys.provider),
  ]);
  return { record: records[0]?.record ?? null, chosen: chosen[0], keys };
}

export type NewVoiceKey = Omit<VoiceKeyRow, "createdAt">;

/** Keeps a key in place of the provider's former one, whose age it inherits. */
export async function upsertKey(db: D1Database, key: NewVoiceKey): Promise<void> {
  const { account, provider, ...changing } = key;
  await drizzle(db)
    .insert(voiceKeys)
    .values({ account, provider, ...changing, createdAt: key.updatedAt })
    .onConflictDoUpdate({ target: [voiceKeys.account, voiceKeys.provider], set: changing });
}

/** Puts another sealed form of the same key in the place of one that nobody has changed meanwhile. */
export async function replaceSealed(
  db: D1Database,
  { account, provider, sealed }: Pick<VoiceKeyRow, "account" | "provider" | "sealed">,
  resealed: string,
): Promise<void> {
  await drizzle(db)
    .update(voiceKeys)
    .set({ sealed: resealed })
    .where(
      and(eq(voiceKeys.account, account), eq(voiceKeys.provider, provider), eq(voiceKeys.sealed, sealed)),
    );
}

/** Some of the keys whose sealed form begins so. In no order: one that cannot be opened then never holds up the others. */
export async function listSealedWith(db: D1Database, prefix: string, limit: number): Promise<VoiceKeyRow[]> {
  return drizzle(db)
    .select()
    .from(voiceKeys)
    .where(sql`substr(${voiceKeys.sealed}, 1, ${prefix.length}) = ${prefix}`)
    .orderBy(sql`random()`)
    .limit(limit);
}

/** A condition: the account may speak with the engine, and its settings can be written. */
function mayChoose(account: string, engine: VoiceEngine): SQL {
  const keyed = sql`EXISTS (SELECT 1 FROM voice_keys WHERE account = ${account} AND provider = ${engine})`;
  const allowed = engine === builtinVoiceEngine ? sql`1` : keyed;
  return sql`${allowed} AND ${recordIsWritable(account)}`;
}

export interface EngineChoice {
  account: string;
  engine: VoiceEngine;
  at: number;
}

function chooseStatements(db: D1Database, { account, engine, at }: EngineChoice): D1PreparedStatement[] {
  const allowed = mayChoose(account, engine);
  const current = sql`coalesce(${storedVoiceEngine(account)}, ${builtinVoiceEngine})`;
  return [
    prepare(
      db,
      sql`DELETE FROM voice_defaults WHERE account = ${account}
        AND (engine <> ${engine} OR ${current} <> ${engine}) AND ${allowed}`,
    ),
    prepare(db, mergeQuery({ account, patch: { tts_provider: engine }, at }, allowed)),
  ];
}

const wrote = (results: D1Result[]) => (results.at(-1)?.results.length ?? 0) > 0;

/** Selects an engine, and forgets the default voice of another; false when it needs a key that is not there. */
export async function storeEngine(db: D1Database, choice: EngineChoice): Promise<boolean> {
  return wrote(await db.batch(chooseStatements(db, choice)));
}

export interface DefaultChoice extends EngineChoice {
  voiceId: string;
  displayName: string;
}

/** Selects an engine and its default voice; false as above. */
export async function storeDefault(db: D1Database, choice: DefaultChoice): Promise<boolean> {
  const { account, engine, voiceId, displayName } = choice;
  const keep = sql`INSERT INTO voice_defaults (account, engine, voice_id, display_name)
    SELECT ${account}, ${engine}, ${voiceId}, ${displayName} WHERE ${mayChoose(account, engine)}
    ON CONFLICT (account) DO UPDATE SET engine = excluded.engine, voice_id = excluded.voice_id,
      display_name = excluded.display_name
    RETURNING account`;
  return wrote(await db.batch([...chooseStatements(db, choice), prepare(db, keep)]));
}

export async function deleteDefault(db: D1Database, account: string): Promise<void> {
  await drizzle(db).delete(voiceDefaults).where(eq(voiceDefaults.account, account));
}

/** Removes a key; the engine it served gives way to the built-in one, and a default voice of that engine goes too. */
export async function deleteKey(
  db: D1Database,
  { account, provider, at }: { account: string; provider: ByoEngine; at: number },
): Promise<void> {
  const inUse = sql`${storedVoiceEngine(account)} = ${provider}`;
  await db.batch([
    prepare(db, sql`DELETE FROM voice_defaults WHERE account = ${account} AND engine = ${provider}`),
    prepare(db, mergeQuery({ account, patch: { tts_provider: builtinVoiceEngine }, at }, inUse)),
    prepare(db, sql`DELETE FROM voice_keys WHERE account = ${account} AND provider = ${provider}`),
  ]);
}

export interface PreviewWindow {
  account: string;
  now: number;
  seconds: number;
  most: number;
}

/** Counts a custom preview unless the window is full; counting and noting are one statement. */
export async function notePreview(
  db: D1Database,
  { account, now, seconds, most }: PreviewWindow,
): Promise<boolean> {
  const result = await drizzle(db).run(sql`
    INSERT INTO ${previewCalls} (account, at) SELECT ${account}, ${now}
    WHERE (SELECT count(*) FROM ${previewCalls} WHERE account = ${account} AND at > ${now - seconds}) < ${most}`);
  return result.meta.changes === 1;
}

/** When the oldest preview of the window was; null when there is none. */
export async function oldestPreview(
  db: D1Database,
  { account, now, seconds }: PreviewWindow,
): Promise<number | null> {
  const row = await drizzle(db).get<{ at: number | null }>(
    sql`SELECT min(at) AS at FROM ${previewCalls} WHERE account = ${account} AND at > ${now - seconds}`,
  );
  return row?.at ?? null;
}

export async function deletePreviewsUntil(db: D1Database, at: number): Promise<void> {
  await drizzle(db).run(sql`DELETE FROM ${previewCalls} WHERE at <= ${at}`);
}
