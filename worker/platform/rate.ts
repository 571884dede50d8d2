// How much an account may make within a while, counted in the table of what it made.

import { sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { portraits, stillJobs } from "./schema/media.ts";

/** Tables that are indexed by `account` and `created_at`. */
type Counted = typeof portraits | typeof stillJobs;

export interface RateWindow {
  account: string;
  /** In epoch seconds. */
  now: number;
  seconds: number;
  /** Most rows within these seconds. */
  most: number;
}

const within = (table: Counted, { account, now, seconds }: RateWindow): SQL =>
  sql`FROM ${table} WHERE account = ${account} AND created_at > ${now - seconds}`;

/** A condition for the insert itself, so that no number of requests at once gets past it: there is room for one more. */
export const hasRoom = (table: Counted, window: RateWindow): SQL =>
  sql`(SELECT count(*) ${within(table, window)}) < ${window.most}`;

/** In how many seconds there is room for one more, at least 1; null when there is room now. */
export async function waitForRoom(
  db: D1Database,
  table: Counted,
  window: RateWindow,
): Promise<number | null> {
  const newest = sql`SELECT created_at AS at ${within(table, window)}
    ORDER BY created_at DESC LIMIT 1 OFFSET ${window.most - 1}`;
  const [inTheWay] = await drizzle(db).all<{ at: number }>(newest);
  return inTheWay ? Math.max(1, inTheWay.at + window.seconds - window.now) : null;
}
