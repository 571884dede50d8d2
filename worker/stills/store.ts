// The still_jobs table. A job is known for one day: the statements that callers reach pass older ones by.

import { and, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { hasRoom, waitForRoom, type RateWindow } from "../platform/rate.ts";
import { stillJobs } from "../platform/schema/media.ts";

export type StillJobRow = typeof stillJobs.$inferSelect;
export type NewStillJob = Pick<
  StillJobRow,
  "id" | "account" | "uploadId" | "note" | "look" | "portalOrigin" | "createdAt"
>;

/** Notes a job while the window has room for it, checked in the same statement; false when it has none. */
export async function insertJob(db: D1Database, job: NewStillJob, window: RateWindow): Promise<boolean> {
  const look = job.look && JSON.stringify(job.look);
  const result = await drizzle(db).run(sql`
    INSERT INTO ${stillJobs} (id, account, state, upload_id, note, look, portal_origin, created_at, updated_at)
    SELECT ${job.id}, ${job.account}, 'pending', ${job.uploadId}, ${job.note}, ${look}, ${job.portalOrigin},
      ${job.createdAt}, ${job.createdAt}
    WHERE ${hasRoom(stillJobs, window)}`);
  return result.meta.changes === 1;
}

/** In how many seconds the window has room for one more; null when it has room now. */
export async function secondsUntilRoom(db: D1Database, window: RateWindow): Promise<number | null> {
  return waitForRoom(db, stillJobs, window);
}

export async function findJob(
  db: D1Database,
  { account, id, keptSince }: { account: string; id: string; keptSince: number },
): Promise<StillJobRow | undefined> {
  return drizzle(db)
    .select()
    .from(stillJobs)
    .where(and(eq(stillJobs.id, id), eq(stillJobs.account, account), gt(stillJobs.createdAt, keptSince)))
    .get();
}

/** What makes a job somebody's to begin: it was never begun, or whoever began it has been silent since `silentSince`. */
const isFree = (silentSince: number) => sql`(${stillJobs.state} = 'pending' AND ${stillJobs.tries} = 0
  OR ${stillJobs.state} IN ('pending', 'running') AND ${stillJobs.updatedAt} <= ${silentSince})`;

export interface Claim {
  id: string;
  now: number;
  silentSince: number;
  maxTries: number;
}

/** Begins a job, which one caller at a time can; the row as it is then, or undefined when it is not theirs to begin. */
export async function claimJob(
  db: D1Database,
  { id, now, silentSince, maxTries }: Claim,
): Promise<StillJobRow | undefined> {
  return drizzle(db)
    .update(stillJobs)
    .set({ state: "running", tries: sql`${stillJobs.tries} + 1`, updatedAt: now })
    .where(and(eq(stillJobs.id, id), isFree(silentSince), sql`${stillJobs.tries} < ${maxTries}`))
    .returning()
    .get();
}

export type Ending =
  | { state: "done"; identityChecked: boolean; identityScore: number | null }
  | { state: "failed"; error: NonNullable<StillJobRow["error"]>; message: string };

/** Ends the try that `job` was claimed for; one that has been begun again since is not its to end. */
export async function endJob(
  db: D1Database,
  job: Pick<StillJobRow, "id" | "tries">,
  { now, ...ending }: Ending & { now: number },
): Promise<boolean> {
  const row = await drizzle(db)
    .update(stillJobs)
    .set({ ...ending, updatedAt: now })
    .where(and(eq(stillJobs.id, job.id), eq(stillJobs.tries, job.tries), eq(stillJobs.state, "running")))
    .returning({ id: stillJobs.id })
    .get();
  return row !== undefined;
}

/** Fails every job that was begun `maxTries` times and has fallen silent again. */
export async function failExhausted(
  db: D1Database,
  {
    now,
    silentSince,
    maxTries,
    message,
  }: { now: number; silentSince: number; maxTries: number; message: string },
): Promise<void> {
  await drizzle(db).run(sql`UPDATE ${stillJobs}
    SET state = 'failed', error = 'generation_failed', message = ${message}, updated_at = ${now}
    WHERE ${isFree(silentSince)} AND ${stillJobs.tries} >= ${maxTries}`);
}

/** Jobs that fell silent, oldest first, of those asked for after `createdSince`. */
export async function listSilent(
  db: D1Database,
  { silentSince, createdSince, limit }: { silentSince: number; createdSince: number; limit: number },
): Promise<string[]> {
  const rows = await drizzle(db)
    .select({ id: stillJobs.id })
    .from(stillJobs)
    .where(
      sql`${stillJobs.state} IN ('pending', 'running') AND ${stillJobs.updatedAt} <= ${silentSince}
        AND ${stillJobs.createdAt} > ${createdSince}`,
    )
    .orderBy(stillJobs.createdAt)
    .limit(limit);
  return rows.map(({ id }) => id);
}

export async function listEnded(
  db: D1Database,
  { keptSince, limit }: { keptSince: number; limit: number },
): Promise<string[]> {
  const rows = await drizzle(db)
    .select({ id: stillJobs.id })
    .from(stillJobs)
    .where(sql`${stillJobs.createdAt} <= ${keptSince}`)
    .orderBy(stillJobs.createdAt)
    .limit(limit);
  return rows.map(({ id }) => id);
}

export async function deleteJobs(db: D1Database, ids: string[]): Promise<void> {
  await drizzle(db).run(
    sql`DELETE FROM ${stillJobs} WHERE ${stillJobs.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`,
  );
}
