// The table of archived files: the source, still and clips of each avatar. A file counts once it is stored.

import { and, asc, eq, isNotNull, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { ArchiveFile } from "../../contract/internal/avatars.ts";
import type { Tone } from "../../contract/tones.ts";
import { avatarFiles, avatars, publicAvatars } from "../platform/schema/avatars.ts";
import { prepare } from "../platform/statement.ts";
import { isErased, type AvatarKey } from "./erasure-store.ts";

export type FileRow = typeof avatarFiles.$inferSelect;

export async function listStored(db: D1Database, { account, avatarId }: AvatarKey): Promise<FileRow[]> {
  return drizzle(db)
    .select()
    .from(avatarFiles)
    .where(
      and(
        eq(avatarFiles.account, account),
        eq(avatarFiles.avatarId, avatarId),
        isNotNull(avatarFiles.storedAt),
      ),
    )
    .orderBy(asc(avatarFiles.filename));
}

export interface Archive {
  archiveId: string;
  /** Files that were granted or stored. */
  files: FileRow[];
}

/**
 * The archive of an avatar as far as something made at `madeAt` (epoch seconds; null for unknown) may join it; undefined
 * when the account has no such avatar, or what was made then has been erased.
 */
export async function findArchive(
  db: D1Database,
  key: AvatarKey,
  madeAt: number | null,
): Promise<Archive | undefined> {
  const own = sql`account = ${key.account} AND avatar_id = ${key.avatarId}`;
  const here = madeAt === null ? own : sql`${own} AND NOT ${isErased(key, madeAt)}`;
  const row = await drizzle(db)
    .select({ archiveId: avatars.archiveId })
    .from(avatars)
    .where(sql`${here} AND archive_id <> ''`)
    .get();
  if (!row) return undefined;
  const files = await drizzle(db).select().from(avatarFiles).where(own);
  return { archiveId: row.archiveId, files };
}

/** A row counts only for as long as its avatar is the one that the archive was made for. */
function stillThere({ account, avatarId }: AvatarKey, archiveId: string) {
  return sql`EXISTS (SELECT 1 FROM ${avatars} WHERE account = ${account} AND avatar_id = ${avatarId}
    AND archive_id = ${archiveId})`;
}

/** Notes files that may now be PUT; false when the avatar went meanwhile. */
export async function insertGranted(
  db: D1Database,
  key: AvatarKey,
  { archiveId, files }: { archiveId: string; files: readonly ArchiveFile[] },
): Promise<boolean> {
  const results = await db.batch(
    files.map((file) =>
      prepare(
        db,
        sql`INSERT INTO ${avatarFiles} (account, avatar_id, filename, role, tone, content_type, size, sha256)
          SELECT ${key.account}, ${key.avatarId}, ${file.filename}, ${file.role}, ${file.tone}, ${file.content_type},
            ${file.size}, ${file.sha256} WHERE ${stillThere(key, archiveId)}
          ON CONFLICT (account, avatar_id, filename) DO UPDATE SET role = excluded.role, tone = excluded.tone,
            content_type = excluded.content_type, size = excluded.size, sha256 = excluded.sha256, stored_at = NULL`,
      ),
    ),
  );
  return results.every(({ meta }) => meta.changes === 1);
}

/** Counts files as stored; false when the avatar went, or was granted another file of a name, meanwhile. */
export async function markStored(
  db: D1Database,
  key: AvatarKey,
  { archiveId, files, at }: { archiveId: string; files: readonly ArchiveFile[]; at: number },
): Promise<boolean> {
  const results = await db.batch(
    files.map((file) =>
      prepare(
        db,
        sql`UPDATE ${avatarFiles} SET stored_at = coalesce(stored_at, ${at})
          WHERE account = ${key.account} AND avatar_id = ${key.avatarId} AND filename = ${file.filename}
            AND sha256 = ${file.sha256} AND ${stillThere(key, archiveId)}`,
      ),
    ),
  );
  return results.every(({ meta }) => meta.changes === 1);
}

/** A file is not, or no longer, what it was granted as. */
export async function unmarkStored(
  db: D1Database,
  { account, avatarId }: AvatarKey,
  filename: string,
): Promise<void> {
  await drizzle(db)
    .update(avatarFiles)
    .set({ storedAt: null })
    .where(
      and(
        eq(avatarFiles.account, account),
        eq(avatarFiles.avatarId, avatarId),
        eq(avatarFiles.filename, filename),
      ),
    );
}

export interface PlayableClip {
  archiveId: string;
  filename: string;
  storedAt: number;
}

/**
 * The newest stored clip of a tone. The account's own avatar of the id hides every published one, so that nobody who asks
 * for their own face is shown a stranger's; undefined when the avatar that is meant has none, or there is no avatar.
 */
export async function findPlayable(
  db: D1Database,
  { account, avatarId }: AvatarKey,
  tone: Tone,
): Promise<PlayableClip | undefined> {
  const own = sql`FROM ${avatars} WHERE account = ${account} AND avatar_id = ${avatarId}`;
  return drizzle(db).get<PlayableClip | undefined>(sql`
    SELECT avatar.archive_id AS archiveId, file.filename, file.stored_at AS storedAt
    FROM (SELECT account, 0 AS published_at ${own}
      UNION ALL SELECT account, published_at FROM ${publicAvatars}
        WHERE avatar_id = ${avatarId} AND NOT EXISTS (SELECT 1 ${own})) AS meant
    JOIN ${avatars} AS avatar ON avatar.account = meant.account AND avatar.avatar_id = ${avatarId}
    JOIN ${avatarFiles} AS file ON file.account = meant.account AND file.avatar_id = ${avatarId}
    WHERE file.role = 'clip' AND file.tone = ${tone} AND file.stored_at IS NOT NULL
    ORDER BY meant.published_at, meant.account, file.stored_at DESC LIMIT 1`);
}
