// What proved who was asking, once it does no more.

import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { deleteExpired } from "./store.ts";

/** Boxes live about two hours, so none can still ask for a revocation a week old. */
const revocationSeconds = 7 * 24 * 3600;

/** Removes expired credentials and portal sessions, and revocations that every box has heard of. */
export async function removeExpired({ db }: Pick<Env, "db">): Promise<void> {
  const now = nowSeconds();
  await deleteExpired(db, { now, revokedUntil: now - revocationSeconds });
}
