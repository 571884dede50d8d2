// Erasing an avatar: at once what the tables know, then the ledger's agreements and the media in storage, and last, as
// boxes confirm it, what was prepared on their weights volumes. Whatever fails stays noted and is taken up again.

import type { ErasureArtefact, ErasureReceipt } from "../../contract/library.ts";
import { eraseConsents } from "../consents/agreements.ts";
import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { success, type Outcome } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import { carryOutRemoval } from "../platform/removals.ts";
import { putEndsWithinSeconds } from "../platform/storage.ts";
import { noAvatar } from "./avatars.ts";
import {
  findPending,
  forgetClosedMedia,
  insertErasure,
  listClosedMedia,
  listMediaPending,
  listPreparedPending,
  listRegistryPending,
  settlePrepared,
  settleRegistry,
  type AvatarKey,
} from "./erasure-store.ts";

/** Most prefixes one request empties; the clean-up empties the others. */
const removalsAtOnce = 20;
/** Most erasures one clean-up goes on with, and one sweep of a box is told of. */
const erasuresAtOnce = 50;
const sweepAtOnce = 1000;

/** Ids that are words of the paths beside them. */
const reserved = new Set(["tones", "public", "publication-terms"]);

/** Erases an avatar, or goes on with what an earlier erasure of it left. Answers what is gone and what is not yet. */
export async function eraseAvatar(
  env: Pick<Env, "db" | "ledger" | "media">,
  account: string,
  avatarId: string,
): Promise<Outcome<ErasureReceipt>> {
  if (reserved.has(avatarId)) return noAvatar;
  const { db } = env;
  const key = { account, avatarId };
  await insertErasure(db, {
    ...key,
    id: newId(),
    at: nowSeconds(),
    putEndsWithinSeconds,
    ledger: env.ledger !== null,
  });
  const found = await findPending(db, key);
  if (!found) return noAvatar;
  if (found.registry) await clearRegistry(env, key);
  if (found.media) {
    for (const prefix of await listMediaPending(db, key, removalsAtOnce)) await carryOutRemoval(env, prefix);
  }
  return success(receipt(avatarId, (await findPending(db, key)) ?? found));
}

function receipt(
  avatarId: string,
  { registry, media, prepared }: { registry: boolean; media: boolean; prepared: boolean },
): ErasureReceipt {
  const isPending: Record<ErasureArtefact, boolean> = {
    registry_record: registry,
    // The shared partition is cleared with the library, in one batch.
    public_listing: false,
    archived_media: media,
    prepared_avatar: prepared,
  };
  const artefacts = Object.keys(isPending) as ErasureArtefact[];
  const pending = artefacts.filter((artefact) => isPending[artefact]);
  return {
    avatar_id: avatarId,
    status: pending.length > 0 ? "pending" : "complete",
    erased: artefacts.filter((artefact) => !isPending[artefact]),
    pending,
  };
}

/** Takes the agreements of erased avatars out of the ledger: of one avatar, or of all. False when some are left. */
export async function clearRegistry(
  { db, ledger }: Pick<Env, "db" | "ledger">,
  key?: AvatarKey,
): Promise<boolean> {
  const rows = await listRegistryPending(db, { ...(key && { key }), limit: erasuresAtOnce });
  if (rows.length === 0) return true;
  for (const { id, account, avatarId, consentId, erasedAt } of rows) {
    if (!(await eraseConsents(ledger, { account, avatarId, consentId, until: erasedAt }))) return false;
    await settleRegistry(db, id);
  }
  return rows.length < erasuresAtOnce;
}

/** What erased avatars' folders were still granted to receive is removed once no grant is open. */
async function emptyClosedMedia(env: Pick<Env, "db" | "media">): Promise<void> {
  const now = nowSeconds();
  for (const prefix of await listClosedMedia(env.db, now, erasuresAtOnce)) {
    if (await carryOutRemoval(env, prefix)) await forgetClosedMedia(env.db, prefix, now);
  }
}

/** The scheduled clean-up's share: goes on with what erasures left in the ledger and in storage. */
export async function continueErasures(env: Env): Promise<void> {
  await clearRegistry(env);
  await emptyClosedMedia(env);
}

export interface PendingErasure {
  erasure_id: string;
  account: string;
  avatar_id: string;
  erased_at: number;
}

/** What a box has to look for on its weights volume. */
export async function readPendingErasures(db: D1Database, weightsVolume: string): Promise<PendingErasure[]> {
  const rows = await listPreparedPending(db, weightsVolume, sweepAtOnce);
  return rows.map((row) => ({
    erasure_id: row.id,
    account: row.account,
    avatar_id: row.avatarId,
    erased_at: row.erasedAt,
  }));
}

export async function confirmErasures(
  db: D1Database,
  weightsVolume: string,
  erasureIds: readonly string[],
): Promise<void> {
  await settlePrepared(db, weightsVolume, erasureIds);
}
