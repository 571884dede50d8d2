// The avatar library: what each account has, as boxes last saw it.

import type { AvatarReport } from "../../contract/internal/avatars.ts";
import type { LibraryAvatar } from "../../contract/library.ts";
import { limits } from "../../contract/limits.ts";
import { nowSeconds } from "../platform/clock.ts";
import { insertReportedWithin, listAvatars, updateReported, type AvatarRow } from "./store.ts";

/** An id read as words: `mary-ann` is "Mary ann". */
function asWords(id: string): string {
  const words = id.replaceAll("-", " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

function libraryRecord(row: AvatarRow): LibraryAvatar {
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

export async function readLibrary(db: D1Database, account: string): Promise<LibraryAvatar[]> {
  return (await listAvatars(db, account)).map(libraryRecord);
}

/** Takes in a box's report. Answers why the avatar is not in the library; empty when it is. */
export async function recordReport(db: D1Database, report: AvatarReport): Promise<string> {
  const at = nowSeconds();
  if (await updateReported(db, report, at)) return "";
  const cap = limits.avatarsPerAccount;
  if (await insertReportedWithin(db, report, { at, cap })) return "";
  return `The library holds ${cap} avatars, which is the most an account may have. This one stays on its box.`;
}
