// The scheduled clean-up: removes what has run out. Each task stands alone: one that fails leaves the others to go on,
// and every task may stop anywhere and be continued by the next run.

import { sql, type SQL } from "drizzle-orm";
import { limits } from "../contract/limits.ts";
import { continueErasures } from "./avatars/erasures.ts";
import { unpublishWithoutAgreement } from "./consents/publication.ts";
import { forgetLaunches } from "./fleet/lifecycle.ts";
import { nowSeconds } from "./platform/clock.ts";
import type { Env } from "./platform/env.ts";
import { describeError, log } from "./platform/log.ts";
import { carryOutRemovals } from "./platform/removals.ts";
import {
  credentials,
  outbox,
  portalSessions,
  revocations,
  signinLinks,
  signinRequests,
} from "./platform/schema/access.ts";
import { boxes } from "./platform/schema/boxes.ts";
import { sessions } from "./platform/schema/sessions.ts";
import { prepare } from "./platform/statement.ts";
import { removeUnapproved } from "./portraits/portraits.ts";
import { removeOldJobs, resumeJobs } from "./stills/stills.ts";
import { settleSessions } from "./sessions/erasure.ts";
import { cleanUpUploads } from "./uploads/uploads.ts";
import { cleanUpVoices } from "./voices/cleanup.ts";

const daySeconds = 24 * 3600;
/** Boxes live about two hours, so none can still ask for a revocation this old. */
const revocationSeconds = 7 * daySeconds;
/** A session that began this lately may not have reached a heartbeat yet. */
const unheardSeconds = 2 * limits.heartbeatFreshSeconds;

async function runAll(db: D1Database, statements: SQL[]): Promise<void> {
  await db.batch(statements.map((statement) => prepare(db, statement)));
}

async function removeExpired({ db }: Env): Promise<void> {
  const now = nowSeconds();
  await runAll(db, [
    sql`DELETE FROM ${signinLinks} WHERE ${signinLinks.expiresAt} <= ${now}`,
    sql`DELETE FROM ${signinRequests} WHERE ${signinRequests.at} <= ${now - limits.signInLinkSeconds}`,
    sql`DELETE FROM ${credentials} WHERE ${credentials.expiresAt} <= ${now}`,
    sql`DELETE FROM ${portalSessions} WHERE ${portalSessions.expiresAt} <= ${now}`,
    sql`DELETE FROM ${revocations} WHERE ${revocations.revokedAt} <= ${now - revocationSeconds}`,
    sql`DELETE FROM ${outbox} WHERE ${outbox.sentAt} <= ${now - daySeconds}`,
  ]);
}

async function forgetSilentBoxes({ db }: Env): Promise<void> {
  const now = nowSeconds();
  const freshSince = now - limits.heartbeatFreshSeconds;
  await runAll(db, [
    sql`DELETE FROM ${boxes} WHERE ${boxes.heartbeatAt} <= ${now - daySeconds}`,
    sql`UPDATE ${boxes} SET lease_account = NULL, lease_expires_at = NULL, lease_session = NULL
      WHERE ${boxes.leaseExpiresAt} <= ${now - daySeconds}`,
    // A live session that no fresh box still reports ended without a word.
    sql`UPDATE ${sessions} SET ended_at = ${now}, end_reason = 'lost'
      WHERE ${sessions.endedAt} IS NULL AND ${sessions.startedAt} <= ${now - unheardSeconds}
      AND NOT EXISTS (SELECT 1 FROM ${boxes} WHERE ${boxes.sessionId} = ${sessions.id}
        AND ${boxes.heartbeatAt} > ${freshSince})`,
  ]);
}

/** Each resource's own clean-up, by the name its failure is logged under. */
const tasks: Record<string, (env: Env) => Promise<void>> = {
  expired: removeExpired,
  boxes: forgetSilentBoxes,
  launches: forgetLaunches,
  sessions: settleSessions,
  uploads: cleanUpUploads,
  removals: carryOutRemovals,
  voices: cleanUpVoices,
  erasures: continueErasures,
  publications: unpublishWithoutAgreement,
  portraits: removeUnapproved,
  stills: removeOldJobs,
  // The slowest of all, since it waits for a generator: so it comes last.
  still_jobs: resumeJobs,
};

/** Runs every task; throws once all have run if one failed, so that the platform counts the failure too. */
export async function cleanUp(env: Env): Promise<void> {
  const failed: string[] = [];
  for (const [name, task] of Object.entries(tasks)) {
    try {
      await task(env);
    } catch (error) {
      failed.push(name);
      log("error", "cleanup", { task: name, ...describeError(error) });
    }
  }
  log("info", "cleanup", { tasks: Object.keys(tasks).length, failed: failed.length });
  if (failed.length > 0) throw new Error(`The clean-up failed: ${failed.join(", ")}.`);
}
