// The settings table: one JSON object an account.

import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { SettingsPatch } from "../../contract/settings.ts";
import { settings } from "../platform/schema/settings.ts";

/** The stored text; null when nothing was ever saved. */
export async function readRecord(db: D1Database, account: string): Promise<string | null> {
  const row = await drizzle(db)
    .select({ record: settings.record })
    .from(settings)
    .where(eq(settings.account, account))
    .get();
  return row?.record ?? null;
}

export interface RecordMerge {
  account: string;
  /** Fields by names that the contract allows: they become part of a JSON path. */
  patch: SettingsPatch;
  at: number;
}

/**
 * Writes the fields of a patch into the stored object in one statement, so that two saves at once both stay. Answers the
 * whole record; null when what is stored is no JSON object, which is then left as it is.
 */
export async function mergeRecord(
  db: D1Database,
  { account, patch, at }: RecordMerge,
): Promise<string | null> {
  const fields = Object.entries(patch).filter(([, value]) => value !== undefined);
  const assignments = fields.map(([name, value]) => sql`, ${`$.${name}`}, json(${JSON.stringify(value)})`);
  const write = (target: ReturnType<typeof sql>) => sql`json_set(${target}${sql.join(assignments)})`;
  const row = await drizzle(db).get<{ record: string } | undefined>(sql`
    INSERT INTO settings (account, record, updated_at) VALUES (${account}, ${write(sql`'{}'`)}, ${at})
    ON CONFLICT (account) DO UPDATE SET record = ${write(sql`settings.record`)}, updated_at = ${at}
      WHERE CASE WHEN json_valid(settings.record) THEN json_type(settings.record) = 'object' ELSE 0 END
    RETURNING record`);
  return row?.record ?? null;
}
