// What the portal answers to a box.

import { drizzle } from "drizzle-orm/d1";
import type { Heartbeat, HeartbeatAnswer, LookupAnswer } from "../../contract/internal/boxes.ts";
import { plainLookUps } from "../access/store.ts";
import { heartbeatStatement } from "../fleet/fleet.ts";
import { nowSeconds } from "../platform/clock.ts";
import { revocationsAfter } from "./store.ts";

/** Most revocations one heartbeat carries; the next one brings the rest. */
const revocationsAtOnce = 1000;

export async function answerHeartbeat(
  db: D1Database,
  boxId: string,
  heartbeat: Heartbeat,
): Promise<HeartbeatAnswer> {
  // One way to the database and back: a fleet sends many of these.
  const [[kept], revoked] = await drizzle(db).batch([
    heartbeatStatement(db, boxId, heartbeat),
    revocationsAfter(db, heartbeat.revocations_seen, revocationsAtOnce),
  ]);
  return {
    drain: kept?.drained ?? false,
    revoked: revoked.map((row) => row.digest),
    revocations_seen: revoked.at(-1)?.number ?? heartbeat.revocations_seen,
  };
}

export async function lookUpCredential(db: D1Database, digest: string): Promise<LookupAnswer> {
  const row = await plainLookUps.credential(db, digest, nowSeconds());
  if (!row) return { credential: null };
  const { kind, scope, account, expiresAt } = row;
  return { credential: { digest: row.digest, kind, scope, account, expires_at: expiresAt } };
}
