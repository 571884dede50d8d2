// The session tables, as an erasure empties them.

import { and, eq, lte, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { mediaRemovals } from "../platform/schema/media.ts";
import { erasedSessions, recordings, sessions, transcriptLines, usage } from "../platform/schema/sessions.ts";
import { noteRemoval } from "../platform/removals.ts";
import { prepare } from "../platform/statement.ts";

export async function sessionExists(db: D1Database, account: string, id: string): Promise<boolean> {
  const row = await drizzle(db)
    .select({ id: sessions.id })
    .from(sessions)
    .where(and(eq(sessions.id, id), eq(sessions.account, account)))
    .get();
  return row !== undefined;
}

/** A condition: the session of this folder was erased, and nothing may bring it back. */
export const isErased = (prefix: string): SQL =>
  sql`EXISTS (SELECT 1 FROM ${erasedSessions} WHERE prefix = ${prefix})`;

export interface SessionErasure {
  account: string;
  id: string;
  prefix: string;
  at: number;
  /** How long a grant to write into storage lives. */
  grantSeconds: number;
}

/**
 * Deletes everything the tables know of an account's session and notes its folder for removal, in one batch. What it
 * cost stays, and no longer says of which session.
 */
export async function eraseRows(
  db: D1Database,
  { account, id, prefix, at, grantSeconds }: SessionErasure,
): Promise<void> {
  const ofSession = sql`session_id = ${id} AND EXISTS (SELECT 1 FROM ${sessions} WHERE id = ${id} AND account = ${account})`;
  const statements = [
    sql`INSERT INTO ${erasedSessions} (prefix, erased_at, sweep_at)
      SELECT ${prefix}, ${at}, (SELECT ${at + grantSeconds} FROM ${recordings} WHERE session_id = ${id})
      FROM ${sessions} WHERE id = ${id} AND account = ${account} ON CONFLICT DO NOTHING`,
    sql`DELETE FROM ${transcriptLines} WHERE ${ofSession}`,
    sql`DELETE FROM ${recordings} WHERE ${ofSession}`,
    sql`UPDATE ${usage} SET session_id = NULL, labels = '{}' WHERE ${ofSession}`,
    sql`DELETE FROM ${sessions} WHERE id = ${id} AND account = ${account}`,
  ];
  await db.batch([noteRemoval(db, prefix), ...statements.map((statement) => prepare(db, statement))]);
}

/**
 * Notes folders for removal once more when the last grant into them has run out, since a PUT may have come late, and
 * forgets erasures that no late report can follow any more.
 */
export async function settleErased(
  db: D1Database,
  { now, keptSeconds }: { now: number; keptSeconds: number },
): Promise<void> {
  const statements = [
    sql`INSERT INTO ${mediaRemovals} (prefix, since)
      SELECT prefix, ${now} FROM ${erasedSessions} WHERE sweep_at <= ${now} ON CONFLICT DO NOTHING`,
    sql`UPDATE ${erasedSessions} SET sweep_at = NULL WHERE sweep_at <= ${now}`,
    sql`DELETE FROM ${erasedSessions} WHERE erased_at <= ${now - keptSeconds}`,
  ];
  await db.batch(statements.map((statement) => prepare(db, statement)));
}

/** Recordings whose grant ran out before anything was said to be stored under it. */
export async function listAbandoned(db: D1Database, before: number, limit: number) {
  return drizzle(db)
    .select({ sessionId: recordings.sessionId, account: recordings.account })
    .from(recordings)
    .where(and(sql`${recordings.storedAt} IS NULL`, lte(recordings.grantedAt, before)))
    .limit(limit);
}

/** Drops a recording that is still abandoned, with whatever lies in its folder. */
export async function dropAbandoned(
  db: D1Database,
  { sessionId, prefix, before, at }: { sessionId: string; prefix: string; before: number; at: number },
): Promise<void> {
  const abandoned = sql`session_id = ${sessionId} AND stored_at IS NULL AND granted_at <= ${before}`;
  await db.batch([
    prepare(
      db,
      sql`INSERT INTO ${mediaRemovals} (prefix, since)
        SELECT ${prefix}, ${at} FROM ${recordings} WHERE ${abandoned} ON CONFLICT DO NOTHING`,
    ),
    prepare(db, sql`DELETE FROM ${recordings} WHERE ${abandoned}`),
  ]);
}
