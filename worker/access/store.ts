// Reads and renewals of what proves who is asking, and its end.

import { and, eq, gt, isNull, or, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { SQLiteAsyncDialect } from "drizzle-orm/sqlite-core";
import { credentials, portalSessions, revocations } from "../platform/schema/access.ts";
import { boxLaunches } from "../platform/schema/boxes.ts";
import { prepare } from "../platform/statement.ts";

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

/** The id of the launched box whose secret has this digest; null when there is none, or it was stopped by `stoppedUntil`. */
export async function findLaunchedBox(
  db: D1Database,
  digest: string,
  stoppedUntil: number,
): Promise<string | null> {
  const row = await drizzle(db)
    .select({ boxId: boxLaunches.boxId })
    .from(boxLaunches)
    .where(
      and(
        eq(boxLaunches.secretDigest, digest),
        or(isNull(boxLaunches.stoppedAt), gt(boxLaunches.stoppedAt, stoppedUntil)),
      ),
    )
    .get();
  return row?.boxId ?? null;
}

/** Deletes credentials and portal sessions that expired until now, and revocations from until a time. */
export async function deleteExpired(
  db: D1Database,
  { now, revokedUntil }: { now: number; revokedUntil: number },
): Promise<void> {
  await db.batch([
    prepare(db, sql`DELETE FROM ${credentials} WHERE expires_at <= ${now}`),
    prepare(db, sql`DELETE FROM ${portalSessions} WHERE expires_at <= ${now}`),
    prepare(db, sql`DELETE FROM ${revocations} WHERE revoked_at <= ${revokedUntil}`),
  ]);
}
