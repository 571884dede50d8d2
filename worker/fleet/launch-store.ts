// Boxes that the lifecycle driver was told to start, and what an order does to a box's row in the registry.

import { eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { boxes, boxLaunches } from "../platform/schema/boxes.ts";
import { prepare } from "../platform/statement.ts";
import type { BoxRow } from "./store.ts";

export type LaunchRow = typeof boxLaunches.$inferSelect;
export type NewLaunch = typeof boxLaunches.$inferInsert;

export async function insertLaunch(db: D1Database, launch: NewLaunch): Promise<void> {
  await drizzle(db).insert(boxLaunches).values(launch);
}

export async function deleteLaunch(db: D1Database, boxId: string): Promise<void> {
  await drizzle(db).delete(boxLaunches).where(eq(boxLaunches.boxId, boxId));
}

export interface KnownBox {
  /** Null while it has sent no heartbeat. */
  box: BoxRow | null;
  /** Null when it was started by hand. */
  launch: LaunchRow | null;
}

export async function findBoxById(db: D1Database, boxId: string): Promise<KnownBox> {
  const [box, launch] = await Promise.all([
    drizzle(db).select().from(boxes).where(eq(boxes.boxId, boxId)).get(),
    drizzle(db).select().from(boxLaunches).where(eq(boxLaunches.boxId, boxId)).get(),
  ]);
  return { box: box ?? null, launch: launch ?? null };
}

/**
 * Drains a box or takes the order back. Undefined when the registry does not know it; a box that was stopped stays drained.
 */
export async function setDrained(
  db: D1Database,
  boxId: string,
  drained: boolean,
): Promise<BoxRow | undefined> {
  const stopped = sql`EXISTS (SELECT 1 FROM ${boxLaunches} WHERE ${boxLaunches.boxId} = ${boxId}
    AND ${boxLaunches.stoppedAt} IS NOT NULL)`;
  return drizzle(db)
    .update(boxes)
    .set({ drained })
    .where(drained ? eq(boxes.boxId, boxId) : sql`${boxes.boxId} = ${boxId} AND NOT ${stopped}`)
    .returning()
    .get();
}

/** Notes that a box was stopped: no lease goes to it, the one it has ends, and its secret opens doors only a little longer. */
export async function markStopped(db: D1Database, boxId: string, at: number): Promise<void> {
  await db.batch([
    prepare(
      db,
      sql`UPDATE ${boxes} SET drained = 1, lease_session = NULL,
          lease_expires_at = CASE WHEN lease_expires_at > ${at} THEN ${at} ELSE lease_expires_at END
        WHERE box_id = ${boxId}`,
    ),
    prepare(
      db,
      sql`UPDATE ${boxLaunches} SET stopped_at = ${at} WHERE box_id = ${boxId} AND stopped_at IS NULL`,
    ),
  ]);
}

/** Forgets launches stopped before a time, and those from before it whose box the registry does not know. */
export async function deleteOldLaunches(db: D1Database, before: number): Promise<void> {
  await drizzle(db).run(sql`
    DELETE FROM ${boxLaunches} WHERE stopped_at <= ${before}
      OR (started_at <= ${before} AND box_id NOT IN (SELECT box_id FROM ${boxes}))`);
}
