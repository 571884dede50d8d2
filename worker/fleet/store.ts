// The box registry and its leases.

import { and, desc, eq, getTableColumns, gt, isNull, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { Heartbeat } from "../../contract/internal/boxes.ts";
import { boxes } from "../platform/schema/boxes.ts";
import { prepare } from "../platform/statement.ts";

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
 * The statement that keeps a heartbeat and moves the box's lease with it: a reported session makes and renews the lease of its account; a
 * session that is gone ends the lease it had confirmed. A lease whose session has not been reported yet runs on.
 */
export function heartbeatUpsert(
  db: D1Database,
  boxId: string,
  heartbeat: Heartbeat,
  { now, leaseSeconds }: { now: number; leaseSeconds: number },
) {
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
    leaseOpenings: 1,
  };
  const ended = {
    leaseExpiresAt: sql`CASE WHEN ${boxes.leaseSession} IS NULL THEN ${boxes.leaseExpiresAt} ELSE ${now} END`,
    leaseSession: null,
  };
  return drizzle(db)
    .insert(boxes)
    .values({ boxId, ...reported, ...live })
    .onConflictDoUpdate({ target: boxes.boxId, set: { ...reported, ...(live ?? ended) } })
    .returning({ drained: boxes.drained });
}

export interface Lease {
  box: BoxRow;
  /** The account did not hold the box before. */
  fresh: boolean;
}

/**
 * Leases a box to an account for a new session: the one it holds if that still takes sessions, else a fresh, free,
 * undrained one that nobody holds. Choosing and taking are one statement, so two accounts never get one box and one
 * account that asks twice at once gets one box. The account's last box comes first, since its avatars may be there. Null
 * when there is none.
 */
export async function takeLease(
  db: D1Database,
  account: string,
  { now, freshSince, expiresAt }: Moment & { expiresAt: number },
): Promise<Lease | null> {
  const own = sql`(lease_account IS ${account})`;
  const leased = sql`(lease_expires_at IS NOT NULL AND lease_expires_at > ${now})`;
  const box = await drizzle(db)
    .update(boxes)
    .set({
      leaseAccount: account,
      leaseExpiresAt: expiresAt,
      leaseSession: null,
      leaseOpenings: sql`CASE WHEN ${own} AND ${leased} THEN lease_openings + 1 ELSE 1 END`,
    })
    .where(
      sql`${boxes.boxId} = (
        SELECT box_id FROM boxes
        WHERE heartbeat_at > ${freshSince} AND drained = 0 AND state <> 'draining'
          AND ((${own} AND ${leased}) OR (state = 'free' AND NOT ${leased}))
        ORDER BY ${leased} DESC, ${own} DESC, heartbeat_at DESC, box_id LIMIT 1)`,
    )
    .returning()
    .get();
  return box ? { box, fresh: box.leaseOpenings === 1 } : null;
}

/** Who holds which box. */
export interface Holding {
  account: string;
  boxId: string;
}

/**
 * Gives back a lease that no session has confirmed and that no other opening of its holder rests on. Should the box still
 * have a session of the account, it is busy, which nobody else can lease, and its next heartbeat makes the lease anew.
 */
export async function releaseLease(
  db: D1Database,
  { account, boxId, now }: Holding & { now: number },
): Promise<void> {
  await drizzle(db)
    .update(boxes)
    .set({ leaseExpiresAt: now })
    .where(
      and(
        eq(boxes.boxId, boxId),
        eq(boxes.leaseAccount, account),
        isNull(boxes.leaseSession),
        eq(boxes.leaseOpenings, 1),
      ),
    );
}

export interface Candidate {
  box: BoxRow;
  /** The account holds a lease on it. */
  held: boolean;
}

/** An account's own box, and whether it holds it. */
function ofAccount(account: string, now: number) {
  const own = sql`(${boxes.leaseAccount} IS ${account} AND ${boxes.leaseAccount} IS NOT NULL)`;
  return { own, held: sql<number>`(${own} AND ${boxes.leaseExpiresAt} > ${now})` };
}

/**
 * The fresh box that the account holds; the first of several as `listCandidates` orders them. Reads the account's boxes alone,
 * where the candidates are found among all there are.
 */
export async function findHeldBox(
  db: D1Database,
  account: string,
  { now, freshSince }: Moment,
): Promise<BoxRow | null> {
  const box = await drizzle(db)
    .select()
    .from(boxes)
    .where(
      and(eq(boxes.leaseAccount, account), gt(boxes.leaseExpiresAt, now), gt(boxes.heartbeatAt, freshSince)),
    )
    .orderBy(
      sql`${boxes.drained}, ${boxes.state} = 'draining', ${boxes.state} = 'busy', ${boxes.heartbeatAt} DESC`,
      boxes.boxId,
    )
    .limit(1)
    .get();
  return box ?? null;
}

/**
 * Fresh boxes in the order a request that opens no session tries them: one the account holds, its last one, undrained
 * ones, free ones, the newest heartbeat.
 */
export async function listCandidates(
  db: D1Database,
  account: string,
  { now, freshSince }: Moment,
): Promise<Candidate[]> {
  const { own, held } = ofAccount(account, now);
  const rows = await drizzle(db)
    .select({ box: getTableColumns(boxes), held })
    .from(boxes)
    .where(gt(boxes.heartbeatAt, freshSince))
    .orderBy(
      sql`${held} DESC, ${boxes.drained}, ${boxes.state} = 'draining', ${own} DESC, ${boxes.state} = 'busy',
        ${boxes.heartbeatAt} DESC`,
      boxes.boxId,
    )
    .limit(3);
  return rows.map((row) => ({ box: row.box, held: row.held === 1 }));
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

/** Deletes boxes last heard of until a time, and takes the holder off leases that ran out until then. */
export async function forgetOld(db: D1Database, until: number): Promise<void> {
  await db.batch([
    prepare(db, sql`DELETE FROM ${boxes} WHERE heartbeat_at <= ${until}`),
    prepare(
      db,
      sql`UPDATE ${boxes} SET lease_account = NULL, lease_expires_at = NULL, lease_session = NULL
        WHERE lease_expires_at <= ${until}`,
    ),
  ]);
}
