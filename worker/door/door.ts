// Which box a request goes to.

import type { Caller } from "../access/caller.ts";
import { boxesFor, endUnusedLease, leaseForSession } from "../fleet/fleet.ts";

/** Paths that open a live session, and so lease a box for it. */
const openings = new Set(["/connect", "/offer", "/rtc/join", "/livekit/join"]);

export function opensSession(method: string, path: string): boolean {
  return method === "POST" && openings.has(path);
}

export interface Destination {
  boxId: string;
  origin: string;
}

export interface Routing {
  /** Boxes to try, in order. Empty when no box can take the request. */
  destinations: Destination[];
  /** Gives back the lease that was taken for this request alone, once it is clear that no session came of it. */
  giveBack: () => Promise<void>;
}

interface RoutedRequest {
  method: string;
  path: string;
  caller: Caller;
}

const keep = async () => {};

export async function routeRequest(
  db: D1Database,
  { method, path, caller: { account } }: RoutedRequest,
): Promise<Routing> {
  if (opensSession(method, path)) {
    const lease = await leaseForSession(db, account);
    if (!lease) return { destinations: [], giveBack: keep };
    return {
      destinations: [{ boxId: lease.box.boxId, origin: lease.box.publicUrl }],
      // A lease that the account held before rests on another opening, which may have gone well.
      giveBack: lease.fresh ? () => endUnusedLease(db, { account, boxId: lease.box.boxId }) : keep,
    };
  }
  const boxes = await boxesFor(db, account);
  return { destinations: boxes.map((box) => ({ boxId: box.boxId, origin: box.publicUrl })), giveBack: keep };
}
