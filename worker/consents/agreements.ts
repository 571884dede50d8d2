// What the avatar library asks of the ledger: whether an avatar may be published, and to forget an erased one.

import { failure, success, type Outcome } from "../platform/errors.ts";
import { describeError, log } from "../platform/log.ts";
import { deleteConsents, hasStandingAgreement, type ConsentErasure, type FaceKey } from "./store.ts";

export const noPublicationLedger = (cause?: unknown): Outcome<never> =>
  failure(
    "publication_consent_unavailable",
    "The record of publication agreements cannot be reached just now. Try again.",
    cause,
  );

/** Whether an agreement to publish this face of the avatar stands. Fails with `publication_consent_unavailable`. */
export async function hasAgreedToPublish(
  ledger: D1Database | null,
  face: FaceKey,
): Promise<Outcome<boolean>> {
  if (!ledger) return noPublicationLedger();
  try {
    return success(await hasStandingAgreement(ledger, face));
  } catch (cause) {
    return noPublicationLedger(cause);
  }
}

/** Takes what was agreed about an erased avatar out of the ledger; false when the ledger fails and it must be tried again. */
export async function eraseConsents(ledger: D1Database | null, erasure: ConsentErasure): Promise<boolean> {
  if (!ledger) return false;
  try {
    await deleteConsents(ledger, erasure);
    return true;
  } catch (error) {
    log("error", "ledger_erasure", describeError(error));
    return false;
  }
}
