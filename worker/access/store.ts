// Reads and renewals of what proves who is asking.

import { and, eq, gt, isNull, or } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { credentials, portalSessions } from "../platform/schema/access.ts";

export type CredentialRow = typeof credentials.$inferSelect;
export type PortalSessionRow = typeof portalSessions.$inferSelect;

/** The live credential of a digest: neither revoked nor expired. */
export async function findLiveCredential(
  db: D1Database,
  digest: string,
  now: number,
): Promise<CredentialRow | undefined> {
  return drizzle(db)
    .select()
    .from(credentials)
    .where(
      and(
        eq(credentials.digest, digest),
        isNull(credentials.revokedAt),
        or(isNull(credentials.expiresAt), gt(credentials.expiresAt, now)),
      ),
    )
    .get();
}

export async function findLivePortalSession(
  db: D1Database,
  digest: string,
  now: number,
): Promise<PortalSessionRow | undefined> {
  return drizzle(db)
    .select()
    .from(portalSessions)
    .where(and(eq(portalSessions.digest, digest), gt(portalSessions.expiresAt, now)))
    .get();
}

export async function extendPortalSession(db: D1Database, digest: string, expiresAt: number): Promise<void> {
  await drizzle(db).update(portalSessions).set({ expiresAt }).where(eq(portalSessions.digest, digest));
}
