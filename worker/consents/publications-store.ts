// The shared partition of the library, as the ledger is compared with it.

import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { publicAvatars } from "../platform/schema/avatars.ts";
import type { AvatarKey } from "./store.ts";

/** Published avatars in the order of their keys, from behind a key on, or from the first. */
export async function listPublicationsAfter(
  db: D1Database,
  last: AvatarKey | null,
  limit: number,
): Promise<AvatarKey[]> {
  return drizzle(db)
    .select({ account: publicAvatars.account, avatarId: publicAvatars.avatarId })
    .from(publicAvatars)
    .where(last ? sql`(avatar_id, account) > (${last.avatarId}, ${last.account})` : undefined)
    .orderBy(publicAvatars.avatarId, publicAvatars.account)
    .limit(limit);
}
