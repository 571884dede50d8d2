// Agreements to publish an avatar. The ledger and the library are two databases that cannot be written as one, so the order
// of the writes is what keeps the rule: whatever stops in between, no avatar stays published without an agreement.

import type { PublicationConsent } from "../../contract/consents.ts";
import { faceOf, noAvatar } from "../avatars/avatars.ts";
import { findAvatar, unpublish } from "../avatars/store.ts";
import { noPublicationLedger } from "../consents/agreements.ts";
import {
  deletePublicationConsent,
  insertPublicationConsent,
  listWithoutAgreement,
  withdrawAgreements,
  type AvatarKey,
  type PublicationConsentRow,
} from "../consents/store.ts";
import { currentPublicationTerms } from "../consents/terms.ts";
import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import { listPublicationsAfter, type Publication } from "./store.ts";

type Stores = Pick<Env, "db" | "ledger">;

function publicationRecord(row: PublicationConsentRow): PublicationConsent {
  return {
    attestation_id: row.attestationId,
    avatar_id: row.avatarId,
    terms_version: row.termsVersion,
    terms_sha256: row.termsSha256,
    attested_at: row.attestedAt,
    withdrawn_at: row.withdrawnAt,
  };
}

/**
 * Records that the account agrees to publish its avatar, with the face it has now, under the current terms. Fails with `terms_outdated`,
 * `avatar_not_found` or `publication_consent_unavailable`.
 */
export async function agreeToPublish(
  { db, ledger }: Stores,
  { account, avatarId, termsVersion }: AvatarKey & { termsVersion: string },
): Promise<Outcome<PublicationConsent>> {
  const terms = await currentPublicationTerms();
  if (termsVersion !== terms.version) {
    return failure(
      "terms_outdated",
      `The publication terms in force are version ${terms.version}. Read them and agree to them.`,
    );
  }
  try {
    const avatar = await findAvatar(db, account, avatarId);
    if (!avatar) return noAvatar;
    if (!ledger) return noPublicationLedger();
    const row = {
      attestationId: newId(),
      account,
      avatarId,
      face: faceOf(avatar),
      termsVersion: terms.version,
      termsSha256: terms.sha256,
      attestedAt: nowSeconds(),
      withdrawnAt: null,
    };
    await insertPublicationConsent(ledger, row);
    // An erasure that ran between the two must not leave an agreement for the next avatar under this id.
    const still = await findAvatar(db, account, avatarId);
    if (still?.archiveId === avatar.archiveId) return success(publicationRecord(row));
    await deletePublicationConsent(ledger, row.attestationId);
    return noAvatar;
  } catch (cause) {
    return noPublicationLedger(cause);
  }
}

/**
 * Withdraws every agreement to publish an avatar and takes it out of the shared list, which needs no ledger and comes
 * first. Fails with `publication_consent_not_found` when there never was one, and with `publication_consent_unavailable`
 * when the ledger fails: the avatar is private by then, and asking again finishes.
 */
export async function withdrawPublication(
  { db, ledger }: Stores,
  { account, avatarId }: AvatarKey,
): Promise<Outcome<PublicationConsent>> {
  try {
    const now = nowSeconds();
    await unpublish(db, account, avatarId, now);
    if (!ledger) return noPublicationLedger();
    const row = await withdrawAgreements(ledger, { account, avatarId }, now);
    // Somebody who saw the agreement standing may have published in between.
    await unpublish(db, account, avatarId, now);
    if (row) return success(publicationRecord(row));
    return failure("publication_consent_not_found", "You have not agreed to publish such an avatar.");
  } catch (cause) {
    return noPublicationLedger(cause);
  }
}

/** Publications that one pass of the clean-up compares with the ledger. */
const publicationsAtOnce = 1000;

/**
 * The scheduled clean-up's share: takes avatars out of the shared list for whose face no agreement stands, as a publication
 * that was cut off between the two databases may leave one.
 */
export async function unpublishWithoutAgreement({ db, ledger }: Stores): Promise<void> {
  if (!ledger) return;
  let last: AvatarKey | null = null;
  for (;;) {
    const page: Publication[] = await listPublicationsAfter(db, last, publicationsAtOnce);
    const published = page.map((row) => ({ ...row, face: row.avatar ? faceOf(row.avatar) : "" }));
    for (const { account, avatarId } of await listWithoutAgreement(ledger, published)) {
      await unpublish(db, account, avatarId, nowSeconds());
    }
    last = page.at(-1) ?? null;
    if (!last || page.length < publicationsAtOnce) return;
  }
}
