// What boxes report of sessions: that one began or ended, what was said, what it cost.

import type { SessionReport, TranscriptReport, UsageReport } from "../../contract/internal/sessions.ts";
import { nowSeconds } from "../platform/clock.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { erasedKeptSeconds } from "./erasure.ts";
import { insertUsage, upsertLines, upsertSession } from "./report-store.ts";
import { storeFailed } from "./sessions.ts";

/** To a box that did not begin the session, or not for this account, there is none; nor is there an erased one. */
export const notHeld = failure("session_not_found", "This box holds no such session of the account.");

/**
 * Keeps a session's report. Again changes nothing, and what the box may not say is passed over in silence, since the
 * queue it comes from repeats itself.
 */
export async function recordSession(
  db: D1Database,
  boxId: string,
  report: SessionReport,
): Promise<Outcome<null>> {
  try {
    // Beyond that time an erased session's mark is gone, so an unknown old session may be one that was erased.
    const unknownBefore = nowSeconds() - erasedKeptSeconds;
    await upsertSession(db, report, { boxId, unknownBefore });
    return success(null);
  } catch (cause) {
    return storeFailed(cause);
  }
}

export async function recordTranscript(
  db: D1Database,
  boxId: string,
  { session_id: sessionId, account, lines }: TranscriptReport,
): Promise<Outcome<null>> {
  try {
    return (await upsertLines(db, { boxId, account, sessionId }, lines)) ? success(null) : notHeld;
  } catch (cause) {
    return storeFailed(cause);
  }
}

export async function recordUsage(
  db: D1Database,
  boxId: string,
  report: UsageReport,
): Promise<Outcome<null>> {
  try {
    await insertUsage(db, report, boxId);
    return success(null);
  } catch (cause) {
    return storeFailed(cause);
  }
}
