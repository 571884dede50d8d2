// Sessions that ended without a word, as when a box dies.

import { limits } from "../../contract/limits.ts";
import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { endLost } from "./lost-store.ts";

/** A session that began this lately may not have reached a heartbeat yet. */
const unheardSeconds = 2 * limits.heartbeatFreshSeconds;

/** The scheduled clean-up's share: live sessions that no fresh box still reports have ended. */
export async function endLostSessions({ db }: Pick<Env, "db">): Promise<void> {
  const now = nowSeconds();
  await endLost(db, {
    now,
    startedBefore: now - unheardSeconds,
    freshSince: now - limits.heartbeatFreshSeconds,
  });
}
