// Boxes: their heartbeats, who holds which, and how the fleet looks from outside.

import type { z } from "zod";
import type { FleetRow, fleetSchema } from "../../contract/fleet.ts";
import type { Heartbeat } from "../../contract/internal/boxes.ts";
import { limits } from "../../contract/limits.ts";
import type { publicStatusSchema } from "../../contract/public.ts";
import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import {
  countFreshByState,
  findHeldBox,
  forgetOld,
  heartbeatUpsert,
  listBoxes,
  listCandidates,
  releaseLease,
  takeLease,
  type BoxRow,
  type Holding,
  type Lease,
  type Moment,
} from "./store.ts";

/** A lease that no heartbeat confirms lasts as long as a heartbeat stays fresh. */
const leaseSeconds = limits.heartbeatFreshSeconds;

function moment(): Moment {
  const now = nowSeconds();
  // A heartbeat exactly 45 seconds old is still fresh.
  return { now, freshSince: now - limits.heartbeatFreshSeconds - 1 };
}

/** What keeps a heartbeat, and answers whether the box shall drain. */
export function heartbeatStatement(db: D1Database, boxId: string, heartbeat: Heartbeat) {
  return heartbeatUpsert(db, boxId, heartbeat, { now: nowSeconds(), leaseSeconds });
}

/** Leases a box for a new session of the account; null when none is free. */
export async function leaseForSession(db: D1Database, account: string): Promise<Lease | null> {
  const at = moment();
  return takeLease(db, account, { ...at, expiresAt: at.now + leaseSeconds });
}

/** Ends a lease that was taken fresh and that nothing came of. */
export async function endUnusedLease(db: D1Database, holding: Holding): Promise<void> {
  await releaseLease(db, { ...holding, now: nowSeconds() });
}

/** Boxes to try, in order, for a request that opens no session; where the account holds one, that alone. */
export async function boxesFor(db: D1Database, account: string): Promise<BoxRow[]> {
  const at = moment();
  const held = await findHeldBox(db, account, at);
  if (held) return [held];
  const candidates = await listCandidates(db, account, at);
  const [first] = candidates;
  return first?.held ? [first.box] : candidates.map((candidate) => candidate.box);
}

/** A box as an administrator sees it. */
export function fleetRow(row: BoxRow, { now, freshSince }: Moment = moment()): FleetRow {
  return {
    box_id: row.boxId,
    public_url: row.publicUrl,
    region: row.region,
    state: row.state,
    room: row.room,
    build: { known: row.buildKnown, short_commit: row.buildShortCommit },
    heartbeat_at: row.heartbeatAt,
    heartbeat_age_seconds: Math.max(0, now - row.heartbeatAt),
    fresh: row.heartbeatAt > freshSince,
    capacity: row.capacity,
    avatars_warm: row.avatarsWarm,
    drained: row.drained,
    leased: row.leaseExpiresAt !== null && row.leaseExpiresAt > now,
  };
}

export async function readFleet(db: D1Database): Promise<z.infer<typeof fleetSchema>> {
  const at = moment();
  const rows = await listBoxes(db);
  return { generated_at: at.now, boxes: rows.map((row) => fleetRow(row, at)) };
}

export async function readStatus(db: D1Database): Promise<z.infer<typeof publicStatusSchema>> {
  const { now, freshSince } = moment();
  const boxes = { free: 0, busy: 0, draining: 0 };
  for (const count of await countFreshByState(db, freshSince)) boxes[count.state] = count.boxes;
  return { portal: "ok", boxes, generated_at: now };
}

/** Long past a box's life of about two hours. */
const silentKeptSeconds = 24 * 3600;

/** The scheduled clean-up's share: boxes unheard of for a day, and who held the others until a day ago. */
export async function forgetSilentBoxes({ db }: Pick<Env, "db">): Promise<void> {
  await forgetOld(db, nowSeconds() - silentKeptSeconds);
}
