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
  /** Gives back the lease that was taken for this request, once it is clear that no session came of it. */
  giveBack: () => Promise<void>;
}

interface RoutedRequest {
  method: string;
  path: string;
  /** Null for a preflight, which carries no credential. */
  caller: Caller | null;
}

const keep = async () => {};

export async function routeRequest(
  db: D1Database,
  { method, path, caller }: RoutedRequest,
): Promise<Routing> {
  if (caller && opensSession(method, path)) {
    const box = await leaseForSession(db, caller.account);
    if (!box) return { destinations: [], giveBack: keep };
    return {
      destinations: [{ boxId: box.boxId, origin: box.publicUrl }],
      giveBack: () => endUnusedLease(db, box.boxId, caller.account),
    };
  }
  const boxes = await boxesFor(db, caller?.account ?? null);
  return { destinations: boxes.map((box) => ({ boxId: box.boxId, origin: box.publicUrl })), giveBack: keep };
}
