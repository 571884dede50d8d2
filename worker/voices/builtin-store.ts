// The built-in voices' table.

import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { builtinVoices } from "../platform/schema/voices.ts";
import { prepare } from "../platform/statement.ts";

export type BuiltinVoice = (typeof builtinVoices.$inferSelect)["row"];

export async function listBuiltin(db: D1Database): Promise<BuiltinVoice[]> {
  const rows = await drizzle(db).select({ row: builtinVoices.row }).from(builtinVoices);
  return rows.map(({ row }) => row);
}

export interface BuiltinReplaced {
  /** Ids of the voices that are gone. */
  gone: string[];
  /** Ids of the voices without a sample. */
  unsampled: string[];
}

/** Makes the list what a box says it is. Each statement takes the whole list at once, however long it is. */
export async function replaceBuiltin(
  db: D1Database,
  voices: readonly BuiltinVoice[],
  at: number,
): Promise<BuiltinReplaced> {
  const list = JSON.stringify(voices);
  const ids = (result: D1Result | undefined) =>
    ((result?.results ?? []) as { id: string }[]).map(({ id }) => id);
  const [gone, , unsampled] = await db.batch([
    prepare(
      db,
      sql`DELETE FROM builtin_voices WHERE id NOT IN (SELECT value ->> 'id' FROM json_each(${list})) RETURNING id`,
    ),
    // Without its WHERE, SQLite would read ON CONFLICT as the condition of a join.
    prepare(
      db,
      sql`INSERT INTO builtin_voices (id, row, updated_at)
        SELECT value ->> 'id', value, ${at} FROM json_each(${list}) WHERE 1
        ON CONFLICT (id) DO UPDATE SET row = excluded.row, updated_at = excluded.updated_at`,
    ),
    prepare(db, sql`SELECT id FROM builtin_voices WHERE sampled = 0 ORDER BY id`),
  ]);
  return { gone: ids(gone), unsampled: ids(unsampled) };
}

/** Notes whether a voice has a sample in storage; false when there is no such voice. */
export async function markSampled(db: D1Database, id: string, sampled: boolean): Promise<boolean> {
  const rows = await drizzle(db)
    .update(builtinVoices)
    .set({ sampled })
    .where(eq(builtinVoices.id, id))
    .returning({ id: builtinVoices.id });
  return rows.length > 0;
}
