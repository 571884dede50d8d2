// Reads and renewals of what proves who is asking.

import { and, eq, isNull, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { credentials, portalSessions } from "../platform/schema/access.ts";
import { boxLaunches } from "../platform/schema/boxes.ts";

type CredentialRow = typeof credentials.$inferSelect;
type PortalSessionRow = typeof portalSessions.$inferSelect;

/** An expression over the caller's account, whose text is read in the same statement as what proves who is asking. */
export type ReadAlong = (account: SQL) => SQL;

interface WithAlong {
  /** Null without a read along, and where it failed. */
  along: string | null;
}

/** The live row of a digest; null when there is none. */
type LookUp<Row> = (db: D1Database, digest: string, now: number) => Promise<(Row & WithAlong) | null>;

const dialect = new SQLiteAsyncDialect();

/** Its text is rendered once: every request makes a look-up, and building the query takes as long as asking it. */
function compile<Row>(query: (along: SQL) => SQL, along: SQL | undefined): LookUp<Row> {
  const render = (expression: SQL) => dialect.sqlToQuery(query(expression)).sql;
  const plain = render(sql`NULL`);
  const whole = along && render(along);
  return async (db, digest, now) => {
    if (whole !== undefined) {
      try {
        return await db.prepare(whole).bind(digest, now).first();
      } catch {
        // What else is broken decides nobody's identity: the route reads by itself, and says what it cannot read.
      }
    }
    return db.prepare(plain).bind(digest, now).first();
  };
}

export interface LookUps {
  /** Neither revoked nor expired. */
  credential: LookUp<Pick<CredentialRow, "digest" | "account" | "kind" | "scope" | "expiresAt">>;
  portalSession: LookUp<Pick<PortalSessionRow, "digest" | "account" | "expiresAt">>;
}

/** How a route finds its callers, and what it reads along. */
export function compileLookUps(along?: ReadAlong): LookUps {
  return {
    credential: compile(
      (read) => sql`SELECT digest, account, kind, scope, expires_at AS expiresAt, ${read} AS along
        FROM ${credentials} WHERE digest = ?1 AND revoked_at IS NULL AND (expires_at IS NULL OR expires_at > ?2)`,
      along?.(sql`credentials.account`),
    ),
    portalSession: compile(
      (read) => sql`SELECT digest, account, expires_at AS expiresAt, ${read} AS along
        FROM ${portalSessions} WHERE digest = ?1 AND expires_at > ?2`,
      along?.(sql`portal_sessions.account`),
    ),
  };
}

export const plainLookUps = compileLookUps();

export async function extendPortalSession(db: D1Database, digest: string, expiresAt: number): Promise<void> {
  await drizzle(db).update(portalSessions).set({ expiresAt }).where(eq(portalSessions.digest, digest));
}

/** The id of the launched box whose secret has this digest; null when there is none, or it was stopped. */
export async function findLaunchedBox(db: D1Database, digest: string): Promise<string | null> {
  const row = await drizzle(db)
    .select({ boxId: boxLaunches.boxId })
    .from(boxLaunches)
    .where(and(eq(boxLaunches.secretDigest, digest), isNull(boxLaunches.stoppedAt)))
    .get();
  return row?.boxId ?? null;
}
