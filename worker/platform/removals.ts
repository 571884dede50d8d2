// What must leave storage: asked for once, tried at once, and tried again by the clean-up until it is gone.

import { eq, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { nowSeconds } from "./clock.ts";
import type { Env } from "./env.ts";
import { describeError, log } from "./log.ts";
import { mediaRemovals } from "./schema/media.ts";
import { prepare } from "./statement.ts";
import { removePrefix } from "./storage.ts";

/**
 * A statement that notes prefixes for removal, to go into the batch that deletes the rows which knew of them. The
 * selection's one column is called `prefix`.
 */
export function noteRemovals(db: D1Database, selection: SQL): D1PreparedStatement {
  return prepare(
    db,
    sql`INSERT INTO ${mediaRemovals} (prefix, since)
      SELECT prefix, ${nowSeconds()} FROM (${selection}) WHERE true ON CONFLICT DO NOTHING`,
  );
}

/** As {@link noteRemovals}, of one prefix that is known already. */
export function noteRemoval(db: D1Database, prefix: string): D1PreparedStatement {
  return noteRemovals(db, sql`SELECT ${prefix} AS prefix`);
}

/** Empties a noted prefix and strikes it off; false when storage fails, and the clean-up will try again. */
export async function carryOutRemoval(
  { db, media }: Pick<Env, "db" | "media">,
  prefix: string,
): Promise<boolean> {
  try {
    await removePrefix(media, prefix);
    await drizzle(db).delete(mediaRemovals).where(eq(mediaRemovals.prefix, prefix));
    return true;
  } catch (error) {
    log("error", "media_removal", describeError(error));
    return false;
  }
}

/** Most prefixes one clean-up empties. */
const removalsAtOnce = 50;

export async function carryOutRemovals(env: Pick<Env, "db" | "media">): Promise<void> {
  const rows = await drizzle(env.db)
    .select()
    .from(mediaRemovals)
    .orderBy(mediaRemovals.since)
    .limit(removalsAtOnce);
  for (const { prefix } of rows) await carryOutRemoval(env, prefix);
}
