// The session tables, as an erasure empties them.

import { sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { mediaRemovals } from "../platform/schema/media.ts";
import { erasedSessions, recordings, sessions, transcriptLines, usage } from "../platform/schema/sessions.ts";
import { noteRemovals } from "../platform/removals.ts";
import { prepare } from "../platform/statement.ts";
import { sessionPrefix, sessionPrefixOf } from "./folders.ts";

export interface SessionKey {
  account: string;
  id: string;
}

/** Whether the account has such a session, and whether one that it erased still waits to leave storage. */
export async function findErasable(
  db: D1Database,
  { account, id }: SessionKey,
): Promise<{ exists: boolean; pending: boolean }> {
  const row = await drizzle(db).get<{ there: number; pending: number }>(sql`
    SELECT EXISTS (SELECT 1 FROM ${sessions} WHERE id = ${id} AND account = ${account}) AS there,
      EXISTS (SELECT 1 FROM ${erasedSessions} AS erased WHERE erased.session_id = ${id}
        AND erased.account = ${account} AND ${isPending(sql`erased.session_id`)}) AS pending`);
  return { exists: row.there === 1, pending: row.pending === 1 };
}

const isPending = (sessionId: SQL): SQL =>
  sql`EXISTS (SELECT 1 FROM ${mediaRemovals} WHERE prefix = ${sessionPrefixOf(sessionId)})`;

/** A condition: this session was erased, and nothing may bring it back. */
export const isErased = (id: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${erasedSessions} WHERE session_id = ${id})`;

export interface SessionErasure extends SessionKey {
  at: number;
  /** How long after it was granted a PUT into the folder may still write. */
  putEndsWithinSeconds: number;
}

/**
 * Deletes everything the tables know of an account's session and notes its folder for removal, in one batch. What it
 * cost stays, and no longer says of which session. Where the account has no such session it changes nothing.
 */
export async function eraseRows(
  db: D1Database,
  { account, id, at, putEndsWithinSeconds }: SessionErasure,
): Promise<void> {
  const own = sql`id = ${id} AND account = ${account}`;
  const ofSession = sql`session_id = ${id} AND EXISTS (SELECT 1 FROM ${sessions} WHERE ${own})`;
  const statements = [
    sql`INSERT INTO ${erasedSessions} (session_id, account, erased_at, sweep_at)
      SELECT id, account, ${at}, (SELECT ${at + putEndsWithinSeconds} FROM ${recordings} WHERE session_id = ${id})
      FROM ${sessions} WHERE ${own} ON CONFLICT DO NOTHING`,
    sql`DELETE FROM ${transcriptLines} WHERE ${ofSession}`,
    sql`DELETE FROM ${recordings} WHERE ${ofSession}`,
    sql`UPDATE ${usage} SET session_id = NULL, labels = '{}' WHERE ${ofSession}`,
    sql`DELETE FROM ${sessions} WHERE ${own}`,
  ];
  await db.batch([
    noteRemovals(db, sql`SELECT ${sessionPrefix(id)} AS prefix FROM ${sessions} WHERE ${own}`),
    ...statements.map((statement) => prepare(db, statement)),
  ]);
}

/**
 * Notes folders for removal once more when the last PUT into them has ended, and forgets erasures that no late report can
 * follow any more and of which nothing is left in storage.
 */
export async function settleErased(
  db: D1Database,
  { now, keptSeconds }: { now: number; keptSeconds: number },
): Promise<void> {
  const swept = sql`sweep_at <= ${now}`;
  await db.batch([
    noteRemovals(
      db,
      sql`SELECT ${sessionPrefixOf(sql`session_id`)} AS prefix FROM ${erasedSessions} WHERE ${swept}`,
    ),
    prepare(db, sql`UPDATE ${erasedSessions} SET sweep_at = NULL WHERE ${swept}`),
    prepare(
      db,
      sql`DELETE FROM ${erasedSessions} WHERE erased_at <= ${now - keptSeconds} AND NOT ${isPending(sql`session_id`)}`,
    ),
  ]);
}

/** Drops recordings that were granted until `before` and never said to be stored, with whatever lies in their folders. */
export async function dropAbandoned(db: D1Database, before: number): Promise<void> {
  const abandoned = sql`${recordings} WHERE stored_at IS NULL AND granted_at <= ${before}`;
  await db.batch([
    noteRemovals(db, sql`SELECT ${sessionPrefixOf(sql`session_id`)} AS prefix FROM ${abandoned}`),
    prepare(db, sql`DELETE FROM ${abandoned}`),
  ]);
}
