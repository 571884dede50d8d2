// The credentials table, as keys, tokens and session credentials use it.

import { and, desc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { credentials, portalSessions, revocations } from "../platform/schema/access.ts";
import { prepare } from "../platform/statement.ts";

export type CredentialRow = typeof credentials.$inferSelect;
export type NewCredential = typeof credentials.$inferInsert;

/** Every key of an account, revoked ones too, newest first. */
export async function listKeys(db: D1Database, account: string): Promise<CredentialRow[]> {
  return drizzle(db)
    .select()
    .from(credentials)
    .where(and(eq(credentials.account, account), eq(credentials.kind, "key")))
    .orderBy(desc(credentials.createdAt), credentials.digest);
}

/** Inserts a key unless the account holds `cap` of them; counting and inserting are one statement. */
export async function insertKeyWithin(db: D1Database, key: NewCredential, cap: number): Promise<boolean> {
  const result = await drizzle(db).run(sql`
    INSERT INTO ${credentials} (digest, kind, scope, account, name, last4, created_at)
    SELECT ${key.digest}, 'key', ${key.scope}, ${key.account}, ${key.name}, ${key.last4}, ${key.createdAt}
    WHERE (SELECT count(*) FROM ${credentials} WHERE account = ${key.account} AND kind = 'key') < ${cap}`);
  return result.meta.changes === 1;
}

/**
 * Inserts what a portal session or a key mints. The parent is checked in the same statement, so that nothing is minted
 * behind a revocation or a logout; false when the parent is gone.
 */
export async function insertMinted(db: D1Database, minted: NewCredential): Promise<boolean> {
  const result = await drizzle(db).run(sql`
    INSERT INTO ${credentials} (digest, kind, scope, account, name, last4, parent, created_at, expires_at)
    SELECT ${minted.digest}, ${minted.kind}, ${minted.scope}, ${minted.account}, ${minted.name}, ${minted.last4},
      ${minted.parent ?? null}, ${minted.createdAt}, ${minted.expiresAt ?? null}
    WHERE ${minted.parent ?? null} IS NULL
      OR EXISTS (SELECT 1 FROM ${credentials} WHERE digest = ${minted.parent ?? null} AND revoked_at IS NULL)
      OR EXISTS (SELECT 1 FROM ${portalSessions} WHERE digest = ${minted.parent ?? null})`);
  return result.meta.changes === 1;
}

export interface Revocation {
  digest: string;
  account: string;
  by: string;
  at: number;
}

/** Revokes a live key and what it minted, numbering each for the boxes. Again changes nothing. */
export async function revokeKey(db: D1Database, { digest, account, by, at }: Revocation): Promise<void> {
  const affected = sql`account = ${account} AND revoked_at IS NULL
    AND ((digest = ${digest} AND kind = 'key') OR parent = ${digest})`;
  await db.batch([
    prepare(
      db,
      sql`INSERT INTO ${revocations} (digest, revoked_at) SELECT digest, ${at} FROM ${credentials} WHERE ${affected}`,
    ),
    prepare(db, sql`UPDATE ${credentials} SET revoked_at = ${at}, revoked_by = ${by} WHERE ${affected}`),
  ]);
}

export async function keyExists(db: D1Database, account: string, digest: string): Promise<boolean> {
  const row = await drizzle(db)
    .select({ digest: credentials.digest })
    .from(credentials)
    .where(and(eq(credentials.digest, digest), eq(credentials.account, account), eq(credentials.kind, "key")))
    .get();
  return row !== undefined;
}
