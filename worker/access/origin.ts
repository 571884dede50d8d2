// Requests that only the portal's own pages may make.

import { refuse } from "../platform/errors.ts";
import type { PortalContext } from "../platform/context.ts";

const reads = new Set(["GET", "HEAD", "OPTIONS"]);

const ownOrigins = (c: PortalContext) => [new URL(c.req.url).origin, c.var.env.portalOrigin];

/** Refuses a write unless `Origin`, or else `Sec-Fetch-Site`, says that it is same origin. */
export function requireSameOrigin(c: PortalContext): void {
  if (reads.has(c.req.method)) return;
  const origin = c.req.header("Origin");
  const same =
    origin === undefined ? c.req.header("Sec-Fetch-Site") === "same-origin" : ownOrigins(c).includes(origin);
  if (!same)
    refuse("cross_origin", "A write under the portal's cookie must come from the portal's own pages.");
}

/**
 * Refuses any request, a read as well, that `Origin` or `Sec-Fetch-Site` says another site makes. A program sends
 * neither, and an address that a person typed comes from no site.
 */
export function refuseOtherSites(c: PortalContext): void {
  const origin = c.req.header("Origin");
  const site = c.req.header("Sec-Fetch-Site") ?? "none";
  const foreign =
    (origin !== undefined && !ownOrigins(c).includes(origin)) || !["same-origin", "none"].includes(site);
  if (foreign) refuse("cross_origin", "Only the portal's own pages may ask this.");
}
