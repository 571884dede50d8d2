// The shared partition of the library, as the ledger is compared with it.

import { and, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { avatars, publicAvatars } from "../platform/schema/avatars.ts";

export interface PublicationKey {
  account: string;
  avatarId: string;
}

export interface Publication extends PublicationKey {
  /** What the face of the record is told by; null when the record is gone. */
  avatar: Pick<typeof avatars.$inferSelect, "sourceSha256" | "archiveId" | "madeAt"> | null;
}

/** Published avatars in the order of their keys, from behind a key on, or from the first. */
export async function listPublicationsAfter(
  db: D1Database,
  last: PublicationKey | null,
  limit: number,
): Promise<Publication[]> {
  const { account, avatarId } = publicAvatars;
  const { sourceSha256, archiveId, madeAt } = avatars;
  // Drizzle takes a joined row for missing by its first column alone, which must therefore be one that is never null.
  return drizzle(db)
    .select({ account, avatarId, avatar: { archiveId, madeAt, sourceSha256 } })
    .from(publicAvatars)
    .leftJoin(avatars, and(eq(avatars.account, account), eq(avatars.avatarId, avatarId)))
    .where(last ? sql`(${avatarId}, ${account}) > (${last.avatarId}, ${last.account})` : undefined)
    .orderBy(avatarId, account)
    .limit(limit);
}
