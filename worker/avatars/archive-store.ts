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
  account: string;
  archiveId: string;
  filename: string;
  storedAt: number;
}

/** The newest stored clip of a tone, of the account's own avatar, else of a published one; undefined when there is none. */
export async function findPlayable(
  db: D1Database,
  { account, avatarId }: AvatarKey,
  tone: Tone,
): Promise<PlayableClip | undefined> {
  return drizzle(db)
    .select({
      account: avatars.account,
      archiveId: avatars.archiveId,
      filename: avatarFiles.filename,
      storedAt: sql<number>`${avatarFiles.storedAt}`,
    })
    .from(avatars)
    .innerJoin(
      avatarFiles,
      and(eq(avatarFiles.account, avatars.account), eq(avatarFiles.avatarId, avatars.avatarId)),
    )
    .leftJoin(
      publicAvatars,
      and(eq(publicAvatars.account, avatars.account), eq(publicAvatars.avatarId, avatars.avatarId)),
    )
    .where(
      sql`${avatars.avatarId} = ${avatarId} AND ${avatarFiles.role} = 'clip' AND ${avatarFiles.tone} = ${tone}
        AND ${avatarFiles.storedAt} IS NOT NULL
        AND (${avatars.account} = ${account} OR ${publicAvatars.account} IS NOT NULL)`,
    )
    .orderBy(
      sql`${avatars.account} = ${account} DESC, ${publicAvatars.publishedAt}, ${avatars.account},
        ${avatarFiles.storedAt} DESC`,
    )
    .limit(1)
    .get();
}
