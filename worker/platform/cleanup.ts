// Removes what has run out. Every statement stands alone, so that one run may stop anywhere and the next go on.

import { sql } from "drizzle-orm";
import { limits } from "../../contract/limits.ts";
import { nowSeconds } from "./clock.ts";
import { log } from "./log.ts";
import {
  boxes,
  credentials,
  outbox,
  portalSessions,
  revocations,
  sessions,
  signinLinks,
  signinRequests,
} from "./schema.ts";
import { prepare } from "./statement.ts";

const daySeconds = 24 * 3600;
/** Boxes live about two hours, so none can still ask for a revocation this old. */
const revocationSeconds = 7 * daySeconds;
/** A session that began this lately may not have reached a heartbeat yet. */
const unheardSeconds = 2 * limits.heartbeatFreshSeconds;

export async function cleanUp(db: D1Database): Promise<void> {
  const now = nowSeconds();
  const freshSince = now - limits.heartbeatFreshSeconds;
  const statements = [
    sql`DELETE FROM ${signinLinks} WHERE ${signinLinks.expiresAt} <= ${now}`,
    sql`DELETE FROM ${signinRequests} WHERE ${signinRequests.at} <= ${now - limits.signInLinkSeconds}`,
    sql`DELETE FROM ${credentials} WHERE ${credentials.expiresAt} <= ${now}`,
    sql`DELETE FROM ${portalSessions} WHERE ${portalSessions.expiresAt} <= ${now}`,
    sql`DELETE FROM ${revocations} WHERE ${revocations.revokedAt} <= ${now - revocationSeconds}`,
    sql`DELETE FROM ${outbox} WHERE ${outbox.sentAt} <= ${now - daySeconds}`,
    sql`DELETE FROM ${boxes} WHERE ${boxes.heartbeatAt} <= ${now - daySeconds}`,
    sql`UPDATE ${boxes} SET lease_account = NULL, lease_expires_at = NULL, lease_session = NULL
      WHERE ${boxes.leaseExpiresAt} <= ${now - daySeconds}`,
    // A live session that no fresh box still reports ended without a word.
    sql`UPDATE ${sessions} SET ended_at = ${now}, end_reason = 'lost'
      WHERE ${sessions.endedAt} IS NULL AND ${sessions.startedAt} <= ${now - unheardSeconds}
      AND NOT EXISTS (SELECT 1 FROM ${boxes} WHERE ${boxes.sessionId} = ${sessions.id}
        AND ${boxes.heartbeatAt} > ${freshSince})`,
  ];
  const results = await db.batch(statements.map((statement) => prepare(db, statement)));
  const changed = results.reduce((sum, result) => sum + result.meta.changes, 0);
  log("info", "cleanup", { rows: changed });
}
