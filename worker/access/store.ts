// Reads and renewals of what proves who is asking.

import { and, eq, getTableColumns, gt, isNull, or, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { credentials, portalSessions } from "../platform/schema/access.ts";

export type CredentialRow = typeof credentials.$inferSelect;
export type PortalSessionRow = typeof portalSessions.$inferSelect;

/** An expression over the caller's account, whose text is read in the same statement as what proves who is asking. */
export type ReadAlong = (account: SQL) => SQL;

export interface LookUp {
  digest: string;
  now: number;
  along?: ReadAlong | undefined;
}

interface WithAlong {
  /** Null without a read along, and where it failed. */
  along: string | null;
}

/** Makes a look-up with its read along, and without it where that fails: what else is broken decides nobody's identity. */
async function lookUp<Row extends WithAlong>(
  query: (along: SQL<string | null>) => Promise<Row | undefined>,
  expression: SQL | undefined,
): Promise<Row | undefined> {
  if (expression) {
    try {
      return await query(sql`${expression}`);
    } catch {
      // The route reads by itself, and says what it cannot read.
    }
  }
  return query(sql`NULL`);
}

/** The live credential of a digest: neither revoked nor expired. */
export async function findLiveCredential(
  db: D1Database,
  { digest, now, along }: LookUp,
): Promise<(CredentialRow & WithAlong) | undefined> {
  return lookUp(
    (read) =>
      drizzle(db)
        .select({ ...getTableColumns(credentials), along: read })
        .from(credentials)
        .where(
          and(
            eq(credentials.digest, digest),
            isNull(credentials.revokedAt),
            or(isNull(credentials.expiresAt), gt(credentials.expiresAt, now)),
          ),
        )
        .get(),
    along?.(sql`${credentials}.${sql.identifier(credentials.account.name)}`),
  );
}

export async function findLivePortalSession(
  db: D1Database,
  { digest, now, along }: LookUp,
): Promise<(PortalSessionRow & WithAlong) | undefined> {
  return lookUp(
    (read) =>
      drizzle(db)
        .select({ ...getTableColumns(portalSessions), along: read })
        .from(portalSessions)
        .where(and(eq(portalSessions.digest, digest), gt(portalSessions.expiresAt, now)))
        .get(),
    along?.(sql`${portalSessions}.${sql.identifier(portalSessions.account.name)}`),
  );
}

export async function extendPortalSession(db: D1Database, digest: string, expiresAt: number): Promise<void> {
  await drizzle(db).update(portalSessions).set({ expiresAt }).where(eq(portalSessions.digest, digest));
}
