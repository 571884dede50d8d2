// The scheduled clean-up: removes what has run out. Each task stands alone: one that fails leaves the others to go on,
// and every task may stop anywhere and be continued by the next run.

import { removeExpired } from "./access/cleanup.ts";
import { continueErasures } from "./avatars/erasures.ts";
import { forgetSilentBoxes } from "./fleet/fleet.ts";
import { forgetLaunches } from "./fleet/lifecycle.ts";
import type { Env } from "./platform/env.ts";
import { describeError, log } from "./platform/log.ts";
import { carryOutRemovals } from "./platform/removals.ts";
import { removeUnapproved } from "./portraits/portraits.ts";
import { unpublishWithoutAgreement } from "./publication/publication.ts";
import { settleSessions } from "./sessions/erasure.ts";
import { endLostSessions } from "./sessions/lost.ts";
import { cleanUpSignin } from "./signin/cleanup.ts";
import { removeOldJobs, resumeJobs } from "./stills/stills.ts";
import { cleanUpUploads } from "./uploads/uploads.ts";
import { cleanUpVoices } from "./voices/cleanup.ts";

/** Each resource's own clean-up, by the name its failure is logged under. */
const tasks: Record<string, (env: Env) => Promise<void>> = {
  expired: removeExpired,
  signin: cleanUpSignin,
  boxes: forgetSilentBoxes,
  launches: forgetLaunches,
  lost_sessions: endLostSessions,
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
