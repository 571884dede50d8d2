// The avatar library's tables: what boxes reported, who published what, and the clips of each tone.

import { and, desc, eq, getTableColumns, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { AvatarReport, ClipReport } from "../../contract/internal/avatars.ts";
import { avatars, avatarVolumes, clips, publicAvatars } from "../platform/schema/avatars.ts";
import { prepare } from "../platform/statement.ts";
import { isErased } from "./erasure-store.ts";

export type AvatarRow = typeof avatars.$inferSelect;
export type ClipRow = typeof clips.$inferSelect;

export async function listAvatars(db: D1Database, account: string): Promise<AvatarRow[]> {
  return drizzle(db)
    .select()
    .from(avatars)
    .where(eq(avatars.account, account))
    .orderBy(desc(avatars.createdAt), avatars.avatarId);
}

/** Every published avatar, newest publication first; the shared partition decides which those are. */
export async function listPublished(db: D1Database): Promise<AvatarRow[]> {
  return drizzle(db)
    .select(getTableColumns(avatars))
    .from(publicAvatars)
    .innerJoin(
      avatars,
      and(eq(avatars.account, publicAvatars.account), eq(avatars.avatarId, publicAvatars.avatarId)),
    )
    .orderBy(desc(publicAvatars.publishedAt), publicAvatars.avatarId, publicAvatars.account);
}

export async function findAvatar(
  db: D1Database,
  account: string,
  avatarId: string,
): Promise<AvatarRow | undefined> {
  return drizzle(db)
    .select()
    .from(avatars)
    .where(and(eq(avatars.account, account), eq(avatars.avatarId, avatarId)))
    .get();
}

/**
 * Lists an avatar in the shared partition and marks it so, together. Answers the record; undefined when it is gone or has
 * another face by now, even if another one was made under its id meanwhile.
 */
export async function publish(
  db: D1Database,
  { account, avatarId, archiveId, sourceSha256, madeAt }: AvatarRow,
  at: number,
): Promise<AvatarRow | undefined> {
  const same = sql`account = ${account} AND avatar_id = ${avatarId} AND archive_id = ${archiveId}
    AND source_sha256 IS ${sourceSha256} AND (source_sha256 IS NOT NULL OR made_at = ${madeAt})`;
  const results = await db.batch([
    prepare(
      db,
      sql`INSERT INTO ${publicAvatars} (avatar_id, account, published_at)
        SELECT avatar_id, account, ${at} FROM ${avatars} WHERE ${same} ON CONFLICT DO NOTHING`,
    ),
    prepare(
      db,
      sql`UPDATE ${avatars} SET visibility = 'public', updated_at = ${at}
        WHERE ${same} AND visibility <> 'public'`,
    ),
    prepare(db, sql`SELECT 1 FROM ${avatars} WHERE ${same}`),
  ]);
  return results.at(-1)?.results.length ? findAvatar(db, account, avatarId) : undefined;
}

/** Takes an avatar out of the shared partition and marks it so, together. Answers the record; undefined when there is none. */
export async function unpublish(
  db: D1Database,
  account: string,
  avatarId: string,
  at: number,
): Promise<AvatarRow | undefined> {
  await db.batch([
    prepare(db, sql`DELETE FROM ${publicAvatars} WHERE account = ${account} AND avatar_id = ${avatarId}`),
    prepare(
      db,
      sql`UPDATE ${avatars} SET visibility = 'private', updated_at = ${at}
        WHERE account = ${account} AND avatar_id = ${avatarId} AND visibility <> 'private'`,
    ),
  ]);
  return findAvatar(db, account, avatarId);
}

export interface Reception {
  /** The library holds the avatar. */
  known: boolean;
  /** What the report is about was erased. */
  erased: boolean;
}

/**
 * Makes or moves a record as a box reported it, unless the library is full, the avatar was erased after it was made, or a
 * later upload under the same id has been heard of. The checks and the write are one statement.
 */
export async function takeReport(
  db: D1Database,
  report: AvatarReport,
  { at, cap, archiveId, madeAt }: { at: number; cap: number; archiveId: string; madeAt: number | null },
): Promise<Reception> {
  const key = { account: report.account, avatarId: report.avatar_id };
  // A report that does not say when its avatar was made can be trusted to be new only where an upload begins.
  const erased = isErased(key, madeAt ?? (report.state === "preparing" ? at : 0));
  const own = sql`SELECT 1 FROM ${avatars} WHERE account = ${key.account} AND avatar_id = ${key.avatarId}`;
  const digest = report.source?.sha256 ?? null;
  // Who agreed to publish one face has not agreed to publish the next one under its id. A later upload of which no digest
  // is known yet may show another one.
  const otherFace = sql`account = ${key.account} AND avatar_id = ${key.avatarId} AND NOT ${erased}
    AND (${madeAt} IS NULL OR made_at <= ${madeAt})
    AND CASE WHEN ${digest} IS NULL THEN made_at < ${madeAt} ELSE source_sha256 IS NOT ${digest} END`;
  const results = await db.batch<{ known: number; erased: number }>([
    prepare(
      db,
      sql`DELETE FROM ${publicAvatars} WHERE account = ${key.account} AND avatar_id = ${key.avatarId}
        AND EXISTS (SELECT 1 FROM ${avatars} WHERE ${otherFace})`,
    ),
    prepare(db, sql`UPDATE ${avatars} SET visibility = 'private' WHERE ${otherFace}`),
    prepare(
      db,
      sql`INSERT INTO ${avatars} (account, avatar_id, name, source_kind, state, detail, prepared_in_region,
          weights_volume, visibility, archive_id, source_filename, source_sha256, framing, consent_id, build, made_at,
          created_at, updated_at)
        SELECT ${key.account}, ${key.avatarId}, ${report.name}, ${report.source_kind}, ${report.state},
          ${report.detail}, ${report.region}, ${report.weights_volume}, 'private', ${archiveId},
          ${report.source?.filename ?? null}, ${digest}, ${jsonOrNull(report.framing)},
          ${report.consent_id ?? null}, ${jsonOrNull(report.build)}, ${madeAt ?? 0}, ${at}, ${at}
        WHERE NOT ${erased} AND (EXISTS (${own})
          OR (SELECT count(*) FROM ${avatars} WHERE account = ${key.account}) < ${cap})
        ON CONFLICT (account, avatar_id) DO UPDATE SET
          name = coalesce(excluded.name, name), source_kind = excluded.source_kind, state = excluded.state,
          detail = excluded.detail, prepared_in_region = excluded.prepared_in_region,
          weights_volume = excluded.weights_volume,
          archive_id = CASE WHEN archive_id = '' THEN excluded.archive_id ELSE archive_id END,
          source_filename = CASE WHEN made_at < excluded.made_at THEN excluded.source_filename
            ELSE coalesce(excluded.source_filename, source_filename) END,
          source_sha256 = CASE WHEN made_at < excluded.made_at THEN excluded.source_sha256
            ELSE coalesce(excluded.source_sha256, source_sha256) END,
          framing = coalesce(excluded.framing, framing), consent_id = coalesce(excluded.consent_id, consent_id),
          build = coalesce(excluded.build, build), made_at = max(made_at, excluded.made_at),
          updated_at = excluded.updated_at
        WHERE ${madeAt} IS NULL OR made_at <= excluded.made_at`,
    ),
    prepare(
      db,
      sql`INSERT INTO ${avatarVolumes} (account, avatar_id, weights_volume)
        SELECT ${key.account}, ${key.avatarId}, ${report.weights_volume} WHERE EXISTS (${own}) AND NOT ${erased}
        ON CONFLICT DO NOTHING`,
    ),
    prepare(db, sql`SELECT EXISTS (${own}) AS known, ${erased} AS erased`),
  ]);
  const answer = results.at(-1)?.results[0];
  return { known: answer?.known === 1, erased: answer?.erased === 1 };
}

function jsonOrNull(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value);
}

export async function listClips(db: D1Database, account: string, avatarId: string): Promise<ClipRow[]> {
  return drizzle(db)
    .select()
    .from(clips)
    .where(and(eq(clips.account, account), eq(clips.avatarId, avatarId)));
}

/** Keeps the newest word on a tone's clip; false when the account has no such avatar, or it was erased since. */
export async function takeClipReport(
  db: D1Database,
  { account, avatar_id: avatarId, made_at: madeAt, clip }: ClipReport,
): Promise<boolean> {
  const erased = isErased({ account, avatarId }, madeAt ?? clip.updated_at);
  const here = sql`SELECT 1 FROM ${avatars} WHERE account = ${account} AND avatar_id = ${avatarId} AND NOT ${erased}`;
  const results = await db.batch<{ known: number }>([
    prepare(
      db,
      sql`INSERT INTO ${clips} (account, avatar_id, tone, state, variant_id, duration_s, detail, updated_at)
        SELECT ${account}, ${avatarId}, ${clip.tone}, ${clip.state}, ${clip.variant_id}, ${clip.duration_s},
          ${clip.detail}, ${clip.updated_at}
        WHERE EXISTS (${here})
        ON CONFLICT (account, avatar_id, tone) DO UPDATE SET state = excluded.state, variant_id = excluded.variant_id,
          duration_s = excluded.duration_s, detail = excluded.detail, updated_at = excluded.updated_at
        WHERE updated_at <= excluded.updated_at`,
    ),
    prepare(db, sql`SELECT EXISTS (${here}) AS known`),
  ]);
  return results[1]?.results[0]?.known === 1;
}
