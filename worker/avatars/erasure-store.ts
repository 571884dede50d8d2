// The tables of erasures: what was erased, and what of it is still to go.

import { and, asc, eq, exists, inArray, lte, sql, type SQL } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import {
  avatarFiles,
  avatars,
  avatarVolumes,
  clips,
  erasureMedia,
  erasures,
  erasureVolumes,
  publicAvatars,
} from "../platform/schema/avatars.ts";
import { noteRemovals } from "../platform/removals.ts";
import { mediaRemovals } from "../platform/schema/media.ts";
import { recordings, sessions } from "../platform/schema/sessions.ts";
import { prepare } from "../platform/statement.ts";
import { sessionPrefixOf } from "../sessions/folders.ts";
import { archivePrefixOf } from "./folders.ts";

export interface AvatarKey {
  account: string;
  avatarId: string;
}

export type ErasureRow = typeof erasures.$inferSelect;

/** A condition: an avatar of this id that was made at `madeAt` (epoch seconds) has been erased. */
export function isErased({ account, avatarId }: AvatarKey, madeAt: number): SQL {
  return sql`EXISTS (SELECT 1 FROM ${erasures} WHERE account = ${account} AND avatar_id = ${avatarId}
    AND erased_at >= ${madeAt})`;
}

export interface NewErasure extends AvatarKey {
  id: string;
  at: number;
  /** How long after it was granted a PUT into storage may still write. */
  putEndsWithinSeconds: number;
  /** There is a ledger that may hold agreements of it. */
  ledger: boolean;
}

/**
 * Erases everything the tables know of an avatar and notes what is to go elsewhere, in one batch. Where the account has no
 * such avatar it changes nothing.
 */
export async function insertErasure(
  db: D1Database,
  { id, account, avatarId, at, putEndsWithinSeconds, ledger }: NewErasure,
): Promise<void> {
  const own = sql`account = ${account} AND avatar_id = ${avatarId}`;
  const begun = sql`EXISTS (SELECT 1 FROM ${erasures} WHERE id = ${id})`;
  const theirRecordings = sql`account = ${account}
    AND session_id IN (SELECT id FROM ${sessions} WHERE ${own})`;
  const statements = [
    sql`INSERT INTO ${erasures} (id, account, avatar_id, consent_id, erased_at, registry_pending)
      SELECT ${id}, account, avatar_id,
        CASE WHEN EXISTS (SELECT 1 FROM ${avatars} AS other WHERE other.account = ${account}
          AND other.avatar_id <> ${avatarId} AND other.consent_id = ${avatars}.consent_id)
        THEN NULL ELSE consent_id END,
        ${at}, ${ledger ? 1 : 0}
      FROM ${avatars} WHERE ${own}`,
    // A volume without a name is known only as long as no named one is: it came from a box older than the names.
    sql`INSERT INTO ${erasureVolumes} (erasure_id, weights_volume, pending)
      SELECT ${id}, weights_volume, 1 FROM ${avatarVolumes} WHERE ${own} AND weights_volume <> '' AND ${begun}`,
    sql`INSERT INTO ${erasureVolumes} (erasure_id, weights_volume, pending)
      SELECT ${id}, weights_volume, 1 FROM ${avatars} WHERE ${own} AND ${begun}
        AND (weights_volume <> '' OR NOT EXISTS (SELECT 1 FROM ${erasureVolumes} WHERE erasure_id = ${id}))
      ON CONFLICT DO NOTHING`,
    sql`INSERT INTO ${erasureMedia} (erasure_id, prefix, closes_at)
      SELECT ${id}, ${archivePrefixOf(sql`archive_id`)}, ${at + putEndsWithinSeconds}
      FROM ${avatars} WHERE ${own} AND archive_id <> '' AND ${begun}`,
    sql`INSERT INTO ${erasureMedia} (erasure_id, prefix, closes_at)
      SELECT ${id}, ${sessionPrefixOf(sql`session_id`)}, granted_at + ${putEndsWithinSeconds}
      FROM ${recordings} WHERE ${theirRecordings} AND ${begun}`,
    sql`DELETE FROM ${recordings} WHERE ${theirRecordings} AND ${begun}`,
    ...[publicAvatars, clips, avatarFiles, avatarVolumes, avatars].map(
      (table) => sql`DELETE FROM ${table} WHERE ${own} AND ${begun}`,
    ),
  ];
  await db.batch([
    ...statements.map((statement) => prepare(db, statement)),
    noteRemovals(db, sql`SELECT prefix FROM ${erasureMedia} WHERE erasure_id = ${id}`),
  ]);
}

/** What is pending of an account's avatar, over all its erasures; null when it was never erased. */
export async function findPending(
  db: D1Database,
  { account, avatarId }: AvatarKey,
): Promise<{ registry: boolean; media: boolean; prepared: boolean } | null> {
  const own = sql`erasure.account = ${account} AND erasure.avatar_id = ${avatarId}`;
  const row = await drizzle(db).get<{
    erasures: number;
    registry: number;
    media: number;
    prepared: number;
  }>(sql`
    SELECT count(*) AS erasures, coalesce(max(registry_pending), 0) AS registry,
      EXISTS (SELECT 1 FROM ${erasures} AS erasure JOIN ${erasureMedia} AS gone ON gone.erasure_id = erasure.id
        JOIN ${mediaRemovals} AS removal ON removal.prefix = gone.prefix WHERE ${own}) AS media,
      EXISTS (SELECT 1 FROM ${erasures} AS erasure JOIN ${erasureVolumes} AS volume
        ON volume.erasure_id = erasure.id WHERE ${own} AND volume.pending) AS prepared
    FROM ${erasures} AS erasure WHERE ${own}`);
  if (row.erasures === 0) return null;
  return { registry: row.registry === 1, media: row.media === 1, prepared: row.prepared === 1 };
}

/** Erasures whose agreements are still in the ledger, oldest first: of one avatar, or of all. */
export async function listRegistryPending(
  db: D1Database,
  { key, limit }: { key?: AvatarKey; limit: number },
): Promise<ErasureRow[]> {
  return drizzle(db)
    .select()
    .from(erasures)
    .where(
      and(
        eq(erasures.registryPending, true),
        key && eq(erasures.account, key.account),
        key && eq(erasures.avatarId, key.avatarId),
      ),
    )
    .orderBy(asc(erasures.erasedAt))
    .limit(limit);
}

export async function settleRegistry(db: D1Database, erasureId: string): Promise<void> {
  await drizzle(db).update(erasures).set({ registryPending: false }).where(eq(erasures.id, erasureId));
}

/** Prefixes of an avatar's erasures that are not empty yet. */
export async function listMediaPending(
  db: D1Database,
  { account, avatarId }: AvatarKey,
  limit: number,
): Promise<string[]> {
  const rows = await drizzle(db)
    .selectDistinct({ prefix: erasureMedia.prefix })
    .from(erasures)
    .innerJoin(erasureMedia, eq(erasureMedia.erasureId, erasures.id))
    .innerJoin(mediaRemovals, eq(mediaRemovals.prefix, erasureMedia.prefix))
    .where(and(eq(erasures.account, account), eq(erasures.avatarId, avatarId)))
    // The archive, which is the person's own likeness, before recordings.
    .orderBy(asc(erasureMedia.prefix))
    .limit(limit);
  return rows.map(({ prefix }) => prefix);
}

/** Prefixes into which no grant is open any more. */
export async function listClosedMedia(db: D1Database, now: number, limit: number): Promise<string[]> {
  const rows = await drizzle(db)
    .selectDistinct({ prefix: erasureMedia.prefix })
    .from(erasureMedia)
    .where(lte(erasureMedia.closesAt, now))
    .limit(limit);
  return rows.map(({ prefix }) => prefix);
}

export async function forgetClosedMedia(db: D1Database, prefix: string, now: number): Promise<void> {
  await drizzle(db)
    .delete(erasureMedia)
    .where(and(eq(erasureMedia.prefix, prefix), lte(erasureMedia.closesAt, now)));
}

/** Erasures that a weights volume has not confirmed, oldest first. A volume that nobody named may be any. */
export async function listPreparedPending(
  db: D1Database,
  weightsVolume: string,
  limit: number,
): Promise<ErasureRow[]> {
  return drizzle(db)
    .select()
    .from(erasures)
    .where(
      exists(
        drizzle(db)
          .select({ one: sql`1` })
          .from(erasureVolumes)
          .where(
            and(
              eq(erasureVolumes.erasureId, erasures.id),
              eq(erasureVolumes.pending, true),
              inArray(erasureVolumes.weightsVolume, [weightsVolume, ""]),
            ),
          ),
      ),
    )
    .orderBy(asc(erasures.erasedAt), erasures.id)
    .limit(limit);
}

/** A weights volume says that erased avatars are gone from it. */
export async function settlePrepared(
  db: D1Database,
  weightsVolume: string,
  erasureIds: readonly string[],
): Promise<void> {
  // One parameter for all ids: D1 takes at most 100 a statement.
  await drizzle(db)
    .update(erasureVolumes)
    .set({ pending: false })
    .where(
      and(
        inArray(erasureVolumes.weightsVolume, [weightsVolume, ""]),
        sql`${erasureVolumes.erasureId} IN (SELECT value FROM json_each(${JSON.stringify(erasureIds)}))`,
      ),
    );
}
