// What boxes ask and report: revocations and live sessions.

import { asc, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { SessionReport } from "../../contract/internal/sessions.ts";
import { revocations } from "../platform/schema/access.ts";
import { sessions } from "../platform/schema/sessions.ts";

export interface RevocationRow {
  number: number;
  digest: string;
}

/** Revocations after a number, oldest first, at most `limit` of them. */
export async function listRevocations(
  db: D1Database,
  after: number,
  limit: number,
): Promise<RevocationRow[]> {
  return drizzle(db)
    .select({ number: revocations.number, digest: revocations.digest })
    .from(revocations)
    .where(gt(revocations.number, after))
    .orderBy(asc(revocations.number))
    .limit(limit);
}

/** Makes or moves a session's row. Only the box that began it may move it, and an ended one stays ended. */
export async function upsertSession(db: D1Database, boxId: string, report: SessionReport): Promise<void> {
  const moved = { turns: report.turns, endedAt: report.ended_at, endReason: report.end_reason };
  await drizzle(db)
    .insert(sessions)
    .values({
      id: report.session_id,
      account: report.account,
      boxId,
      kind: report.kind,
      avatarId: report.avatar_id,
      startedAt: report.started_at,
      ...moved,
    })
    .onConflictDoUpdate({
      target: sessions.id,
      set: moved,
      // The clean-up may have taken a silent box's session for lost; the box itself knows better.
      setWhere: sql`${sessions.boxId} = ${boxId} AND ${sessions.account} = ${report.account}
        AND (${sessions.endedAt} IS NULL OR ${sessions.endReason} = 'lost')`,
    });
}
