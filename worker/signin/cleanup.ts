// Signing in, as far as the clean-up goes on with it.

import { limits } from "../../contract/limits.ts";
import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { deleteOldLinks } from "./store.ts";

/** Mail of a local portal stays this long. */
const outboxSeconds = 24 * 3600;

/** Removes links that ran out, requests that count no more, and old mail of a local portal. */
export async function cleanUpSignin({ db }: Pick<Env, "db">): Promise<void> {
  const now = nowSeconds();
  await deleteOldLinks(db, {
    now,
    countedUntil: now - limits.signInLinkSeconds,
    mailedUntil: now - outboxSeconds,
  });
}
