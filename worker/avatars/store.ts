// The avatar library's table.

import { and, desc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import type { AvatarReport } from "../../contract/internal/avatars.ts";
import { avatars } from "../platform/schema/avatars.ts";

export type AvatarRow = typeof avatars.$inferSelect;

export async function listAvatars(db: D1Database, account: string): Promise<AvatarRow[]> {
  return drizzle(db)
    .select()
    .from(avatars)
    .where(eq(avatars.account, account))
    .orderBy(desc(avatars.createdAt), avatars.avatarId);
}

/** Moves a known avatar's record; false when the account has no such avatar yet. */
export async function updateReported(db: D1Database, report: AvatarReport, at: number): Promise<boolean> {
  const result = await drizzle(db)
    .update(avatars)
    .set({
      state: report.state,
      detail: report.detail,
      preparedInRegion: report.region,
      weightsVolume: report.weights_volume,
      sourceKind: report.source_kind,
      ...(report.name === null ? {} : { name: report.name }),
      updatedAt: at,
    })
    .where(and(eq(avatars.account, report.account), eq(avatars.avatarId, report.avatar_id)));
  return result.meta.changes === 1;
}

/** Adds a record unless the account's library is full; counting and inserting are one statement. */
export async function insertReportedWithin(
  db: D1Database,
  report: AvatarReport,
  { at, cap }: { at: number; cap: number },
): Promise<boolean> {
  const result = await drizzle(db).run(sql`
    INSERT INTO ${avatars} (account, avatar_id, name, source_kind, state, detail, prepared_in_region,
      weights_volume, visibility, created_at, updated_at)
    SELECT ${report.account}, ${report.avatar_id}, ${report.name}, ${report.source_kind}, ${report.state},
      ${report.detail}, ${report.region}, ${report.weights_volume}, 'private', ${at}, ${at}
    WHERE (SELECT count(*) FROM ${avatars} WHERE account = ${report.account}) < ${cap}
    ON CONFLICT (account, avatar_id) DO UPDATE SET state = excluded.state, detail = excluded.detail,
      updated_at = excluded.updated_at`);
  return result.meta.changes === 1;
}
