// The settings table: one JSON object an account.

import { sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { SettingsPatch } from "../../contract/settings.ts";
import { probesAsJson, type ProbeRow } from "../models/store.ts";

/** What a settings read needs to know. */
export interface SettingsFacts {
  /** The stored text; null when nothing was ever saved. */
  record: string | null;
  /** What is known of the models; empty where that cannot be read. */
  probes: ProbeRow[];
}

const storedRecord = (account: SQL) => sql`(SELECT record FROM settings WHERE settings.account = ${account})`;

/** The facts of an account as one expression, which may come along with the look-up of a credential. */
export function settingsFacts(account: SQL): SQL {
  return sql`json_object('record', ${storedRecord(account)}, 'probes', json(${probesAsJson}))`;
}

/** Reads what `settingsFacts` came to. */
export function parseFacts(text: string): SettingsFacts {
  return JSON.parse(text) as SettingsFacts;
}

/** The facts in one statement; a record that can be read by itself alone comes without the models. */
export async function readFacts(db: D1Database, account: string): Promise<SettingsFacts> {
  const read = async (expression: SQL) => {
    const row = await drizzle(db).get<{ value: string | null }>(sql`SELECT ${expression} AS value`);
    return row.value;
  };
  const key = sql`${account}`;
  try {
    return parseFacts((await read(settingsFacts(key))) ?? "");
  } catch {
    return { record: await read(storedRecord(key)), probes: [] };
  }
}

export interface RecordMerge {
  account: string;
  /** Fields by names that the contract allows: they become part of a JSON path. */
  patch: SettingsPatch;
  at: number;
}

const isObject = sql`CASE WHEN json_valid(settings.record) THEN json_type(settings.record) = 'object' ELSE 0 END`;

/** A condition: nothing is stored for the account, or what is stored can be written into. */
export function recordIsWritable(account: string): SQL {
  return sql`NOT EXISTS (SELECT 1 FROM settings WHERE account = ${account} AND NOT (${isObject}))`;
}

/** The stored voice engine, as an expression; null where none was ever saved or the record is broken. */
export function storedVoiceEngine(account: string): SQL {
  return sql`(SELECT CASE WHEN json_valid(record) THEN json_extract(record, '$.tts_provider') END
    FROM settings WHERE account = ${account})`;
}

/**
 * The one statement that writes the fields of a patch into the stored object, so that two saves at once both stay. It
 * returns the record; no row when the condition does not hold or what is stored is no JSON object, which then stays.
 */
export function mergeQuery({ account, patch, at }: RecordMerge, condition: SQL = sql`1`): SQL {
  const fields = Object.entries(patch).filter(([, value]) => value !== undefined);
  const assignments = fields.map(([name, value]) => sql`, ${`$.${name}`}, json(${JSON.stringify(value)})`);
  const write = (target: SQL) => sql`json_set(${target}${sql.join(assignments)})`;
  return sql`
    INSERT INTO settings (account, record, updated_at) SELECT ${account}, ${write(sql`'{}'`)}, ${at} WHERE ${condition}
    ON CONFLICT (account) DO UPDATE SET record = ${write(sql`settings.record`)}, updated_at = ${at} WHERE ${isObject}
    RETURNING record`;
}

/** Writes a patch; answers the whole record, or null when what is stored cannot be written into. */
export async function mergeRecord(db: D1Database, merge: RecordMerge): Promise<string | null> {
  const row = await drizzle(db).get<{ record: string } | undefined>(mergeQuery(merge));
  return row?.record ?? null;
}
