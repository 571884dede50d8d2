// The box registry and its leases.

import { and, desc, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Heartbeat } from "../../contract/internal.ts";
import { boxes } from "../platform/schema.ts";

export type BoxRow = typeof boxes.$inferSelect;

/** When a query is made and since when a heartbeat counts as fresh; epoch seconds. */
export interface Moment {
  now: number;
  freshSince: number;
}

export async function listBoxes(db: D1Database): Promise<BoxRow[]> {
  return drizzle(db).select().from(boxes).orderBy(desc(boxes.heartbeatAt), boxes.boxId);
}

/**
 * Keeps a heartbeat and moves the box's lease with it: a reported session makes and renews the lease of its account; a
 * session that is gone ends the lease it had confirmed. A lease whose session has not been reported yet runs on.
 */
export async function upsertHeartbeat(
  db: D1Database,
  boxId: string,
  heartbeat: Heartbeat,
  { now, leaseSeconds }: { now: number; leaseSeconds: number },
): Promise<{ drained: boolean }> {
  const reported = {
    publicUrl: heartbeat.public_url,
    region: heartbeat.region,
    state: heartbeat.state,
    room: heartbeat.room,
    capacity: heartbeat.capacity,
    avatarsWarm: heartbeat.avatars_warm,
    buildKnown: heartbeat.build.known,
    buildShortCommit: heartbeat.build.short_commit,
    sessionId: heartbeat.session?.session_id ?? null,
    heartbeatAt: now,
  };
  const live = heartbeat.session && {
    leaseAccount: heartbeat.session.account,
    leaseExpiresAt: now + leaseSeconds,
    leaseSession: heartbeat.session.session_id,
  };
  const ended = {
    leaseExpiresAt: sql`CASE WHEN ${boxes.leaseSession} IS NULL THEN ${boxes.leaseExpiresAt} ELSE ${now} END`,
    leaseSession: null,
  };
  return drizzle(db)
    .insert(boxes)
    .values({ boxId, ...reported, ...live })
    .onConflictDoUpdate({ target: boxes.boxId, set: { ...reported, ...(live ?? ended) } })
    .returning({ drained: boxes.drained })
    .get();
}

/** The box an account holds; the newest lease where boxes report two. */
export async function findLease(
  db: D1Database,
  account: string,
  { now, freshSince }: Moment,
): Promise<BoxRow | undefined> {
  return drizzle(db)
    .select()
    .from(boxes)
    .where(
      and(eq(boxes.leaseAccount, account), gt(boxes.leaseExpiresAt, now), gt(boxes.heartbeatAt, freshSince)),
    )
    .orderBy(desc(boxes.leaseExpiresAt))
    .limit(1)
    .get();
}

/** Keeps an account's lease through a new session of its own, until a heartbeat reports it. */
export async function renewLease(
  db: D1Database,
  boxId: string,
  account: string,
  expiresAt: number,
): Promise<void> {
  await drizzle(db)
    .update(boxes)
    .set({ leaseExpiresAt: expiresAt, leaseSession: null })
    .where(and(eq(boxes.boxId, boxId), eq(boxes.leaseAccount, account)));
}

/**
 * Leases a fresh, free, undrained box to an account that holds no usable one: choosing and taking are one statement, so
 * two callers never get one box. The account's last box comes first, since its avatars may be there.
 */
export async function takeLease(
  db: D1Database,
  account: string,
  { now, freshSince, expiresAt }: Moment & { expiresAt: number },
): Promise<BoxRow | undefined> {
  const usable = sql`heartbeat_at > ${freshSince} AND drained = 0 AND state <> 'draining'`;
  return drizzle(db)
    .update(boxes)
    .set({ leaseAccount: account, leaseExpiresAt: expiresAt, leaseSession: null })
    .where(
      sql`${boxes.boxId} = (
        SELECT box_id FROM boxes
        WHERE ${usable} AND state = 'free' AND (lease_expires_at IS NULL OR lease_expires_at <= ${now})
        ORDER BY lease_account IS ${account} DESC, heartbeat_at DESC, box_id LIMIT 1)
      AND NOT EXISTS (
        SELECT 1 FROM boxes WHERE lease_account = ${account} AND lease_expires_at > ${now} AND ${usable})`,
    )
    .returning()
    .get();
}

/** Gives back a lease that led to no session; one that a session has confirmed stays. */
export async function releaseLease(
  db: D1Database,
  boxId: string,
  account: string,
  now: number,
): Promise<void> {
  await drizzle(db)
    .update(boxes)
    .set({ leaseExpiresAt: now })
    .where(
      sql`${boxes.boxId} = ${boxId} AND ${boxes.leaseAccount} = ${account} AND ${boxes.leaseSession} IS NULL`,
    );
}

/** Fresh boxes in the order a request without a lease tries them: the account's last one, undrained, free, newest. */
export async function listFreshBoxes(
  db: D1Database,
  account: string | null,
  { freshSince }: Pick<Moment, "freshSince">,
): Promise<BoxRow[]> {
  return drizzle(db)
    .select()
    .from(boxes)
    .where(gt(boxes.heartbeatAt, freshSince))
    .orderBy(
      sql`${boxes.leaseAccount} IS ${account} DESC, ${boxes.drained}, ${boxes.state} = 'draining',
        ${boxes.state} = 'busy', ${boxes.heartbeatAt} DESC`,
      boxes.boxId,
    )
    .limit(3);
}

export interface StateCount {
  state: BoxRow["state"];
  boxes: number;
}

/** Fresh boxes by state; a drained one counts as draining. */
export async function countFreshByState(db: D1Database, freshSince: number): Promise<StateCount[]> {
  const state = sql<BoxRow["state"]>`CASE WHEN ${boxes.drained} THEN 'draining' ELSE ${boxes.state} END`;
  return drizzle(db)
    .select({ state, boxes: sql<number>`count(*)` })
    .from(boxes)
    .where(gt(boxes.heartbeatAt, freshSince))
    .groupBy(state);
}
