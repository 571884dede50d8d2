// The table of granted uploads.

import { and, eq, gt, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { noteRemovals } from "../platform/removals.ts";
import { uploads } from "../platform/schema/media.ts";
import { prepare } from "../platform/statement.ts";

export type UploadRow = typeof uploads.$inferSelect;
export type NewUpload = Omit<UploadRow, "claimedAt">;

export interface UploadKey {
  account: string;
  uploadId: string;
}

const folder = "uploads/";

/** Prefix of an upload's objects; the n-th file lies below it under n, counted from 0. */
export const uploadPrefix = (uploadId: string) => `${folder}${uploadId}/`;

/** Notes a granted upload, unless the account has `most` already that no box has claimed; false when it has. */
export async function insertUpload(
  db: D1Database,
  { id, account, files, createdAt, expiresAt }: NewUpload,
  most: number,
): Promise<boolean> {
  const result = await drizzle(db).run(sql`
    INSERT INTO ${uploads} (id, account, files, created_at, expires_at)
    SELECT ${id}, ${account}, ${JSON.stringify(files)}, ${createdAt}, ${expiresAt}
    WHERE (SELECT count(*) FROM ${uploads}
      WHERE account = ${account} AND expires_at > ${createdAt} AND claimed_at IS NULL) < ${most}`);
  return result.meta.changes === 1;
}

const isLive = ({ account, uploadId }: UploadKey, now: number) =>
  and(eq(uploads.id, uploadId), eq(uploads.account, account), gt(uploads.expiresAt, now));

export async function findUpload(
  db: D1Database,
  key: UploadKey,
  now: number,
): Promise<UploadRow | undefined> {
  return drizzle(db).select().from(uploads).where(isLive(key, now)).get();
}

/** Claims an upload for the one request that may use it; false when it was claimed before or has run out. */
export async function claim(db: D1Database, key: UploadKey, now: number): Promise<boolean> {
  const row = await drizzle(db)
    .update(uploads)
    .set({ claimedAt: now })
    .where(and(isLive(key, now), sql`${uploads.claimedAt} IS NULL`))
    .returning({ id: uploads.id })
    .get();
  return row !== undefined;
}

/** Forgets uploads that have run out and notes their objects for removal, in one batch. */
export async function dropExpired(db: D1Database, now: number): Promise<void> {
  const expired = sql`${uploads} WHERE expires_at <= ${now}`;
  await db.batch([
    noteRemovals(db, sql`SELECT ${folder} || id || '/' AS prefix FROM ${expired}`),
    prepare(db, sql`DELETE FROM ${expired}`),
  ]);
}
