// Sign-in links, portal sessions and the local outbox.

import { and, desc, eq, gt, sql } from "drizzle-orm";
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

/** Counts a request and, unless it is over a limit, keeps its link; false when it was over. */
export async function insertLinkWithin(
  db: D1Database,
  request: LinkRequest,
  limits: LinkLimits,
): Promise<boolean> {
  const since = request.at - limits.windowSeconds;
  const counted = await drizzle(db).run(sql`
    INSERT INTO ${signinRequests} (address, client, at)
    SELECT ${request.address}, ${request.client}, ${request.at}
    WHERE (SELECT count(*) FROM ${signinRequests} WHERE address = ${request.address} AND at > ${since})
        < ${limits.perAddress}
      AND (SELECT count(*) FROM ${signinRequests} WHERE client = ${request.client} AND at > ${since})
        < ${limits.perClient}`);
  if (counted.meta.changes !== 1) return false;
  const { digest, account, expiresAt } = request;
  await drizzle(db).insert(signinLinks).values({ digest, account, expiresAt });
  return true;
}

/** Takes a link away and answers its account; of two at once, one gets it. */
export async function takeLink(db: D1Database, digest: string, now: number): Promise<string | null> {
  const row = await drizzle(db)
    .delete(signinLinks)
    .where(and(eq(signinLinks.digest, digest), gt(signinLinks.expiresAt, now)))
    .returning({ account: signinLinks.account })
    .get();
  return row?.account ?? null;
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

export type OutboxRow = typeof outbox.$inferSelect;

export async function listOutbox(db: D1Database): Promise<OutboxRow[]> {
  return drizzle(db).select().from(outbox).orderBy(desc(outbox.id)).limit(100);
}
