// Writes that a cookie carries must come from the portal's own pages.

import { refuse } from "../platform/errors.ts";
import type { PortalContext } from "../platform/context.ts";

const reads = new Set(["GET", "HEAD", "OPTIONS"]);

/** Refuses a write unless `Origin`, or else `Sec-Fetch-Site`, says that it is same origin. */
export function requireSameOrigin(c: PortalContext): void {
  if (reads.has(c.req.method)) return;
  const origin = c.req.header("Origin");
  const own = [new URL(c.req.url).origin, c.var.env.portalOrigin];
  const same = origin === undefined ? c.req.header("Sec-Fetch-Site") === "same-origin" : own.includes(origin);
  if (!same)
    refuse("cross_origin", "A write under the portal's cookie must come from the portal's own pages.");
}
