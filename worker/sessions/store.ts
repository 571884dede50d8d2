// The session tables, as their account reads and edits them.

import { and, asc, desc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { SessionPatch } from "../../contract/sessions.ts";
import { avatars } from "../platform/schema/avatars.ts";
import { recordings, sessions, transcriptLines } from "../platform/schema/sessions.ts";
import type { Position } from "./cursor.ts";

export type TranscriptRow = typeof transcriptLines.$inferSelect;

/** Characters of a line that a row's title and preview are made from. */
const openingChars = 400;

const openingOf = (which: "first" | "first of the user") => {
  const ofUser = which === "first" ? sql`` : sql`AND role = 'user'`;
  return sql<string | null>`(SELECT substr(content, 1, ${openingChars}) FROM ${transcriptLines}
    WHERE session_id = ${sessions.id} ${ofUser} ORDER BY number LIMIT 1)`;
};

const selectRows = (db: D1Database) =>
  drizzle(db)
    .select({
      session: sessions,
      avatarName: avatars.name,
      recordingStoredAt: recordings.storedAt,
      firstLine: openingOf("first"),
      firstUserLine: openingOf("first of the user"),
    })
    .from(sessions)
    .leftJoin(avatars, and(eq(avatars.account, sessions.account), eq(avatars.avatarId, sessions.avatarId)))
    .leftJoin(recordings, eq(recordings.sessionId, sessions.id));

export type SessionFacts = Awaited<ReturnType<typeof listSessions>>[number];

const own = (account: string, id: string) => and(eq(sessions.id, id), eq(sessions.account, account));

/** At most `limit` sessions of an account right behind a position, newest first; equal times go by id. */
export async function listSessions(
  db: D1Database,
  account: string,
  { after, limit }: { after: Position | null; limit: number },
) {
  const behind = after && sql`(${sessions.startedAt}, ${sessions.id}) < (${after.startedAt}, ${after.id})`;
  return selectRows(db)
    .where(and(eq(sessions.account, account), behind ?? undefined))
    .orderBy(desc(sessions.startedAt), desc(sessions.id))
    .limit(limit);
}

export interface StoredSession {
  facts: SessionFacts;
  lines: TranscriptRow[];
}

/** A session of the account with its transcript in order; null when the account has no such session. */
export async function findSession(
  db: D1Database,
  account: string,
  id: string,
): Promise<StoredSession | null> {
  const [rows, lines] = await drizzle(db).batch([
    selectRows(db).where(own(account, id)),
    drizzle(db)
      .select()
      .from(transcriptLines)
      .where(
        sql`${transcriptLines.sessionId} = (SELECT id FROM ${sessions} WHERE id = ${id} AND account = ${account})`,
      )
      .orderBy(asc(transcriptLines.number)),
  ]);
  const [facts] = rows;
  return facts ? { facts, lines } : null;
}

/** Writes exactly the fields that are named, and answers the row; null when the account has no such session. */
export async function editSession(
  db: D1Database,
  { account, id, patch }: { account: string; id: string; patch: SessionPatch },
): Promise<SessionFacts | null> {
  const read = selectRows(db).where(own(account, id));
  const changes = Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
  const rows =
    Object.keys(changes).length === 0
      ? await read
      : (
          await drizzle(db).batch([drizzle(db).update(sessions).set(changes).where(own(account, id)), read])
        )[1];
  return rows[0] ?? null;
}
