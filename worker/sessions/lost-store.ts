// Live sessions, as the clean-up compares them with what boxes report.

import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { boxes } from "../platform/schema/boxes.ts";
import { sessions } from "../platform/schema/sessions.ts";

export interface Lost {
  now: number;
  /** A session that began later may not have been reported yet. */
  startedBefore: number;
  /** A box heard of later than this still says the truth about its session. */
  freshSince: number;
}

/** Ends as lost every live session that no fresh box reports any more. */
export async function endLost(db: D1Database, { now, startedBefore, freshSince }: Lost): Promise<void> {
  await drizzle(db).run(sql`
    UPDATE ${sessions} SET ended_at = ${now}, end_reason = 'lost'
    WHERE ended_at IS NULL AND started_at <= ${startedBefore}
      AND NOT EXISTS (SELECT 1 FROM ${boxes} WHERE ${boxes.sessionId} = ${sessions.id}
        AND ${boxes.heartbeatAt} > ${freshSince})`);
}
