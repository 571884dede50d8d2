// The session tables, as boxes write them. Only the box that began a session, for the account it began it for, may.

import { and, eq, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { SessionReport, TranscriptReport, UsageReport } from "../../contract/internal/sessions.ts";
import { erasures } from "../platform/schema/avatars.ts";
import { recordings, sessions, transcriptLines, usage } from "../platform/schema/sessions.ts";
import { prepare } from "../platform/statement.ts";
import { isErased } from "./erasure-store.ts";

/** A session as a box names it. */
export interface BoxSession {
  boxId: string;
  account: string;
  sessionId: string;
}

const held = ({ boxId, account, sessionId }: BoxSession): SQL =>
  sql`id = ${sessionId} AND account = ${account} AND box_id = ${boxId}`;

export interface ReportScope {
  boxId: string;
  /** An unknown session that began no later than this is not taken up. */
  unknownBefore: number;
}

/** Makes or moves a session's row; an ended one stays ended, and an erased one stays erased. */
export async function upsertSession(
  db: D1Database,
  report: SessionReport,
  { boxId, unknownBefore }: ReportScope,
): Promise<void> {
  const { session_id: id, account, model = "", voice = "", persona = "" } = report;
  const said = (column: string) =>
    sql.raw(
      `${column} = CASE WHEN excluded.${column} = '' THEN sessions.${column} ELSE excluded.${column} END`,
    );
  await drizzle(db).run(sql`
    INSERT INTO ${sessions} (id, account, box_id, kind, avatar_id, started_at, ended_at, end_reason, turns,
      model, voice, persona)
    SELECT ${id}, ${account}, ${boxId}, ${report.kind}, ${report.avatar_id}, ${report.started_at},
      ${report.ended_at}, ${report.end_reason}, ${report.turns}, ${model}, ${voice}, ${persona}
    WHERE NOT ${isErased(id)}
      AND (${report.started_at} > ${unknownBefore} OR EXISTS (SELECT 1 FROM ${sessions} WHERE id = ${id}))
    ON CONFLICT (id) DO UPDATE SET turns = max(sessions.turns, excluded.turns), ended_at = excluded.ended_at,
      end_reason = excluded.end_reason, ${said("model")}, ${said("voice")}, ${said("persona")}
    WHERE sessions.box_id = excluded.box_id AND sessions.account = excluded.account
      -- The clean-up may have taken a silent box's session for lost; the box itself knows better.
      AND (sessions.ended_at IS NULL OR sessions.end_reason = 'lost')`);
}

/** Writes lines at their places, and counts the turns anew; false when the box holds no such session. */
export async function upsertLines(
  db: D1Database,
  of: BoxSession,
  lines: TranscriptReport["lines"],
): Promise<boolean> {
  const written = sql`EXISTS (SELECT 1 FROM ${sessions} WHERE ${held(of)})`;
  // One parameter for all lines: D1 takes at most 100 a statement.
  const results = await db.batch([
    prepare(
      db,
      sql`INSERT INTO ${transcriptLines} (session_id, number, role, content, tone, at)
        SELECT ${of.sessionId}, value ->> 'index', value ->> 'role', value ->> 'content', value ->> 'tone', value ->> 'at'
        FROM json_each(${JSON.stringify(lines)}) WHERE ${written}
        ON CONFLICT (session_id, number) DO UPDATE SET role = excluded.role, content = excluded.content,
          tone = excluded.tone, at = excluded.at`,
    ),
    prepare(
      db,
      // The box's own count comes with its last report; a box that is lost never sends one.
      sql`UPDATE ${sessions} SET turns = max(turns, (SELECT count(*) FROM ${transcriptLines}
        WHERE session_id = ${of.sessionId} AND role = 'user')) WHERE ${held(of)}`,
    ),
  ]);
  return results[1]?.meta.changes === 1;
}

export interface NewRecording extends BoxSession {
  contentType: string;
  size: number;
  sha256: string;
  termsVersion: string;
  termsDigest: string;
  agreedAt: number;
  grantedAt: number;
}

/**
 * Notes a recording that may be PUT, in place of one there was; false when the box holds no such session, or its avatar
 * has been erased meanwhile.
 */
export async function grantRecording(db: D1Database, recording: NewRecording): Promise<boolean> {
  const { sessionId, account } = recording;
  const result = await drizzle(db).run(sql`
    INSERT INTO ${recordings} (session_id, account, content_type, size, sha256, terms_version, terms_digest,
      agreed_at, granted_at, stored_at)
    SELECT ${sessionId}, ${account}, ${recording.contentType}, ${recording.size}, ${recording.sha256},
      ${recording.termsVersion}, ${recording.termsDigest}, ${recording.agreedAt}, ${recording.grantedAt}, NULL
    FROM ${sessions} WHERE ${held(recording)} AND NOT EXISTS (SELECT 1 FROM ${erasures} AS erasure
      WHERE erasure.account = ${sessions}.account AND erasure.avatar_id = ${sessions}.avatar_id
      AND erasure.erased_at >= ${sessions}.started_at)
    ON CONFLICT (session_id) DO UPDATE SET content_type = excluded.content_type, size = excluded.size,
      sha256 = excluded.sha256, terms_version = excluded.terms_version, terms_digest = excluded.terms_digest,
      agreed_at = excluded.agreed_at, granted_at = excluded.granted_at, stored_at = NULL`);
  return result.meta.changes === 1;
}

export type RecordingRow = typeof recordings.$inferSelect;

/** What was granted for a session that the box holds, stored by now or not. */
export async function findGranted(
  db: D1Database,
  { boxId, account, sessionId }: BoxSession,
): Promise<RecordingRow | null> {
  const row = await drizzle(db)
    .select({ recording: recordings })
    .from(recordings)
    .innerJoin(sessions, eq(sessions.id, recordings.sessionId))
    .where(and(eq(sessions.id, sessionId), eq(sessions.account, account), eq(sessions.boxId, boxId)))
    .get();
  return row?.recording ?? null;
}

/** Lets a recording count, unless it was erased or granted anew since it was looked up. */
export async function settleRecording(
  db: D1Database,
  { sessionId, grantedAt, sha256 }: RecordingRow,
  at: number,
): Promise<boolean> {
  const result = await drizzle(db).run(sql`UPDATE ${recordings} SET stored_at = coalesce(stored_at, ${at})
    WHERE session_id = ${sessionId} AND granted_at = ${grantedAt} AND sha256 = ${sha256}`);
  return result.meta.changes === 1;
}

/** Keeps what something cost, once; of an erased session it does not say which. */
export async function insertUsage(db: D1Database, report: UsageReport, boxId: string): Promise<void> {
  const erased = report.session_id === null ? sql`0` : isErased(report.session_id);
  await drizzle(db).run(sql`
    INSERT INTO ${usage} (id, account, box_id, session_id, kind, seconds, turns, at, labels)
    SELECT ${report.usage_id}, ${report.account}, ${boxId}, CASE WHEN ${erased} THEN NULL ELSE ${report.session_id} END,
      ${report.kind}, ${report.seconds}, ${report.turns}, ${report.at},
      CASE WHEN ${erased} THEN '{}' ELSE ${JSON.stringify(report.labels)} END
    WHERE true ON CONFLICT (id) DO NOTHING`);
}
