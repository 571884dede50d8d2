// The portraits table. A portrait that nobody approved ends with `keptSince`: from then on every statement here passes
// it by, so that the clean-up never removes the picture of one that is being approved.

import { and, eq, gt, isNotNull, ne, or, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { hasRoom, waitForRoom, type RateWindow } from "../platform/rate.ts";
import { portraits } from "../platform/schema/media.ts";

export type PortraitRow = typeof portraits.$inferSelect;

/** A portrait that is about to be drawn: everything but its digest. */
export type NewPortrait = Omit<PortraitRow, "sha256" | "approvedAt">;

/** Which portrait is meant, whose it must be, and the time before which unapproved ones have ended. */
export interface PortraitQuery {
  account: string;
  id: string;
  keptSince: number;
}

const isKept = ({ account, id, keptSince }: PortraitQuery) =>
  and(
    eq(portraits.id, id),
    eq(portraits.account, account),
    ne(portraits.sha256, ""),
    or(isNotNull(portraits.approvedAt), gt(portraits.createdAt, keptSince)),
  );

export async function findPortrait(db: D1Database, query: PortraitQuery): Promise<PortraitRow | undefined> {
  return drizzle(db).select().from(portraits).where(isKept(query)).get();
}

/**
 * Notes a portrait before it is drawn, while the window has room for it and its parent, if it has one, is there; false
 * when not. The checks and the insert are one statement.
 */
export async function insertPortrait(db: D1Database, row: NewPortrait, window: RateWindow): Promise<boolean> {
  const result = await drizzle(db).run(sql`
    INSERT INTO ${portraits} (id, account, persona, attempt, parent_id, sha256, created_at)
    SELECT ${row.id}, ${row.account}, ${row.persona}, ${row.attempt}, ${row.parentId}, '', ${row.createdAt}
    WHERE ${hasRoom(portraits, window)} AND (${row.parentId} IS NULL
      OR EXISTS (SELECT 1 FROM ${portraits} WHERE id = ${row.parentId} AND account = ${row.account}))`);
  return result.meta.changes === 1;
}

/** In how many seconds the window has room for one more; null when it has room now. */
export async function secondsUntilRoom(db: D1Database, window: RateWindow): Promise<number | null> {
  return waitForRoom(db, portraits, window);
}

/** Lets a portrait that has been drawn be seen; undefined when it is gone. */
export async function finishPortrait(
  db: D1Database,
  id: string,
  sha256: string,
): Promise<PortraitRow | undefined> {
  return drizzle(db).update(portraits).set({ sha256 }).where(eq(portraits.id, id)).returning().get();
}

export async function deletePortrait(db: D1Database, id: string): Promise<void> {
  await drizzle(db).delete(portraits).where(eq(portraits.id, id));
}

/** Approves the portrait if its bytes are the ones named; the first approval's time stays. */
export async function approveBytes(
  db: D1Database,
  query: PortraitQuery,
  { sha256, at }: { sha256: string; at: number },
): Promise<PortraitRow | undefined> {
  return drizzle(db)
    .update(portraits)
    .set({ approvedAt: sql`coalesce(${portraits.approvedAt}, ${at})` })
    .where(and(isKept(query), eq(portraits.sha256, sha256)))
    .returning()
    .get();
}

/** The oldest portraits that nobody approved in time. */
export async function listEnded(
  db: D1Database,
  { keptSince, limit }: { keptSince: number; limit: number },
): Promise<string[]> {
  const rows = await drizzle(db)
    .select({ id: portraits.id })
    .from(portraits)
    .where(sql`${portraits.createdAt} <= ${keptSince} AND ${portraits.approvedAt} IS NULL`)
    .orderBy(portraits.createdAt)
    .limit(limit);
  return rows.map(({ id }) => id);
}

export async function deleteEnded(db: D1Database, ids: string[]): Promise<void> {
  await drizzle(db).run(sql`DELETE FROM ${portraits}
    WHERE ${portraits.approvedAt} IS NULL AND ${portraits.id} IN (SELECT value FROM json_each(${JSON.stringify(ids)}))`);
}
