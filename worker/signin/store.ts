// Sign-in links, portal sessions and the local outbox.

import { desc, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import {
  credentials,
  outbox,
  portalSessions,
  revocations,
  signinLinks,
  signinRequests,
} from "../platform/schema/access.ts";
import { prepare } from "../platform/statement.ts";

export interface LinkRequest {
  /** Digest of the token in the link. */
  digest: string;
  account: string;
  expiresAt: number;
  /** Digests that are counted. */
  address: string;
  client: string;
  at: number;
}

export interface LinkLimits {
  perAddress: number;
  perClient: number;
  windowSeconds: number;
}

/** Counts a request and keeps its link, or does neither where it is over a limit: false. */
export async function insertLinkWithin(
  db: D1Database,
  { digest, account, expiresAt, address, client, at }: LinkRequest,
  limits: LinkLimits,
): Promise<boolean> {
  const since = at - limits.windowSeconds;
  const within = sql`
    (SELECT count(*) FROM ${signinRequests} WHERE address = ${address} AND at > ${since}) < ${limits.perAddress}
    AND (SELECT count(*) FROM ${signinRequests} WHERE client = ${client} AND at > ${since}) < ${limits.perClient}`;
  const [kept] = await db.batch([
    prepare(
      db,
      sql`INSERT INTO ${signinLinks} (digest, account, expires_at)
        SELECT ${digest}, ${account}, ${expiresAt} WHERE ${within} RETURNING digest`,
    ),
    // Last, since it changes what is counted.
    prepare(
      db,
      sql`INSERT INTO ${signinRequests} (address, client, at) SELECT ${address}, ${client}, ${at} WHERE ${within}`,
    ),
  ]);
  return kept?.results.length === 1;
}

export interface LinkRedemption {
  /** Digest of the token in the link. */
  link: string;
  /** Digest of the cookie it is traded for. */
  session: string;
  createdAt: number;
  expiresAt: number;
}

/** Trades a link that still holds for a portal session, in one transaction; of two at once, one gets it. */
export async function tradeLink(db: D1Database, trade: LinkRedemption): Promise<boolean> {
  const { link, session, createdAt, expiresAt } = trade;
  const [opened] = await db.batch([
    prepare(
      db,
      sql`INSERT INTO ${portalSessions} (digest, account, created_at, expires_at)
        SELECT ${session}, account, ${createdAt}, ${expiresAt} FROM ${signinLinks}
        WHERE digest = ${link} AND expires_at > ${createdAt} RETURNING digest`,
    ),
    prepare(db, sql`DELETE FROM ${signinLinks} WHERE digest = ${link}`),
  ]);
  return opened?.results.length === 1;
}

export async function insertPortalSession(
  db: D1Database,
  session: typeof portalSessions.$inferInsert,
): Promise<void> {
  await drizzle(db).insert(portalSessions).values(session);
}

/** Ends a portal session; what it minted is revoked in the same transaction and numbered for the boxes. */
export async function deletePortalSession(db: D1Database, digest: string, at: number): Promise<void> {
  const minted = sql`parent = ${digest} AND kind = 'session' AND revoked_at IS NULL`;
  await db.batch([
    prepare(
      db,
      sql`INSERT INTO ${revocations} (digest, revoked_at) SELECT digest, ${at} FROM ${credentials} WHERE ${minted}`,
    ),
    prepare(db, sql`UPDATE ${credentials} SET revoked_at = ${at}, revoked_by = account WHERE ${minted}`),
    prepare(db, sql`DELETE FROM ${portalSessions} WHERE digest = ${digest}`),
  ]);
}

/** Deletes links that expired until now, and requests and mails from until a time. */
export async function deleteOldLinks(
  db: D1Database,
  { now, countedUntil, mailedUntil }: { now: number; countedUntil: number; mailedUntil: number },
): Promise<void> {
  await db.batch([
    prepare(db, sql`DELETE FROM signin_links WHERE expires_at <= ${now}`),
    prepare(db, sql`DELETE FROM signin_requests WHERE at <= ${countedUntil}`),
    prepare(db, sql`DELETE FROM outbox WHERE sent_at <= ${mailedUntil}`),
  ]);
}

export type OutboxRow = typeof outbox.$inferSelect;

export async function listOutbox(db: D1Database): Promise<OutboxRow[]> {
  return drizzle(db).select().from(outbox).orderBy(desc(outbox.id)).limit(100);
}
