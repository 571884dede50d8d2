// Publishing an avatar, which needs a recorded agreement, and withdrawing it, which needs nothing.

import type { LibraryAvatar } from "../../contract/library.ts";
import { hasAgreedToPublish, noPublicationLedger } from "../consents/agreements.ts";
import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { faceOf, libraryRecord, noAvatar } from "./avatars.ts";
import { clearRegistry } from "./erasures.ts";
import { findAvatar, publish, unpublish, type AvatarRow } from "./store.ts";

type Stores = Pick<Env, "db" | "ledger">;

const notAgreed = failure(
  "publication_consent_required",
  "Agree to the publication terms for this avatar before you publish it.",
);

/** Succeeds only while the ledger holds an agreement to publish exactly this avatar with exactly this face. */
async function requireAgreement({ db, ledger }: Stores, avatar: AvatarRow): Promise<Outcome<null>> {
  const { account, avatarId } = avatar;
  // What was agreed for an erased avatar of this id says nothing about this one.
  if (!(await clearRegistry({ db, ledger }, { account, avatarId }))) return noPublicationLedger();
  const agreed = await hasAgreedToPublish(ledger, { account, avatarId, face: faceOf(avatar) });
  if (!agreed.ok) return agreed;
  return agreed.value ? success(null) : notAgreed;
}

export async function publishAvatar(
  stores: Stores,
  account: string,
  avatarId: string,
): Promise<Outcome<LibraryAvatar>> {
  const { db } = stores;
  const avatar = await findAvatar(db, account, avatarId);
  if (!avatar) return noAvatar;
  const agreed = await requireAgreement(stores, avatar);
  if (!agreed.ok) return agreed;
  const published = await publish(db, avatar, nowSeconds());
  if (!published) {
    const other = await findAvatar(db, account, avatarId);
    return other?.archiveId === avatar.archiveId ? notAgreed : noAvatar;
  }
  // The ledger is another database: an agreement that was withdrawn between the two is noticed here.
  const still = await requireAgreement(stores, avatar);
  if (still.ok) return success(libraryRecord(published));
  await unpublish(db, account, avatarId, nowSeconds());
  return still;
}

/** Takes an avatar out of the shared list at once; the ledger is not asked. */
export async function withdrawAvatar(
  { db }: Pick<Env, "db">,
  account: string,
  avatarId: string,
): Promise<Outcome<LibraryAvatar>> {
  const row = await unpublish(db, account, avatarId, nowSeconds());
  return row ? success(libraryRecord(row)) : noAvatar;
}
