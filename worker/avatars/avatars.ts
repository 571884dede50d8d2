// The avatar library: what each account has, as boxes last saw it, and what of it everybody may see.

import type { AvatarReport, ClipReport } from "../../contract/internal/avatars.ts";
import type { LibraryAvatar, PublicAvatar } from "../../contract/library.ts";
import { limits } from "../../contract/limits.ts";
import { nowSeconds } from "../platform/clock.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import { listAvatars, listPublished, takeClipReport, takeReport, type AvatarRow } from "./store.ts";

/** An id read as words: `mary-ann` is "Mary ann". */
export function asWords(id: string): string {
  const words = id.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

export function libraryRecord(row: AvatarRow): LibraryAvatar {
  return {
    avatar_id: row.avatarId,
    display_name: row.name ?? asWords(row.avatarId),
    name: row.name ?? row.avatarId,
    source_kind: row.sourceKind,
    state: row.state,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    prepared_in_region: row.preparedInRegion,
    weights_volume: row.weightsVolume,
    detail: row.detail,
    visibility: row.visibility,
  };
}

/**
 * What tells an avatar's face from an earlier or later one under its id: the digest of what it is made from, or, while no box
 * has told of that, its archive and when it was taken in.
 */
export function faceOf(row: Pick<AvatarRow, "sourceSha256" | "archiveId" | "madeAt">): string {
  return row.sourceSha256 ?? `${row.archiveId}@${row.madeAt}`;
}

/** The answer for an avatar that is somebody else's, and for one that does not exist. */
export const noAvatar = failure("avatar_not_found", "You have no such avatar.");

export async function readLibrary(db: D1Database, account: string): Promise<LibraryAvatar[]> {
  return (await listAvatars(db, account)).map(libraryRecord);
}

/** Published avatars of everybody; nothing in a row says whose it is, but for the caller's own. */
export async function readPublished(db: D1Database, account: string): Promise<PublicAvatar[]> {
  const rows = await listPublished(db);
  return rows.map((row) => ({ ...libraryRecord(row), mine: row.account === account }));
}

/** Takes in a box's report. Answers why the avatar is not in the library; empty when it is. */
export async function recordReport(db: D1Database, report: AvatarReport): Promise<string> {
  const { known, erased } = await takeReport(db, report, {
    at: nowSeconds(),
    cap: limits.avatarsPerAccount,
    archiveId: newId(),
    madeAt: report.made_at ?? report.build?.started_at ?? null,
  });
  if (erased) return "This avatar was erased.";
  if (known) return "";
  return `The library holds ${limits.avatarsPerAccount} avatars, which is the most an account may have. This one stays on its box.`;
}

export async function recordClip(db: D1Database, report: ClipReport): Promise<Outcome<null>> {
  return (await takeClipReport(db, report)) ? success(null) : noAvatar;
}
