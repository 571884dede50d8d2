// What boxes ask: revocations.

import { asc, gt } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { revocations } from "../platform/schema/access.ts";

/** The statement that reads the revocations after a number, oldest first, at most `limit` of them. */
export function revocationsAfter(db: D1Database, after: number, limit: number) {
  return drizzle(db)
    .select({ number: revocations.number, digest: revocations.digest })
    .from(revocations)
    .where(gt(revocations.number, after))
    .orderBy(asc(revocations.number))
    .limit(limit);
}
