// Upload consents: a person says that they may use a likeness, bound to the very bytes that show it.

import type { Consent, ConsentRequest } from "../../contract/consents.ts";
import { nowSeconds } from "../platform/clock.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import { hasUploadConsent, insertUploadConsent, listUploadConsents, type UploadConsentRow } from "./store.ts";

const unavailable = (cause?: unknown) =>
  failure("consents_unavailable", "The consent ledger cannot be reached just now. Try again.", cause);

/** Asks the ledger; none and a failing one are `consents_unavailable`. */
async function ask<T>(
  ledger: D1Database | null,
  question: (ledger: D1Database) => Promise<T>,
): Promise<Outcome<T>> {
  if (!ledger) return unavailable();
  try {
    return success(await question(ledger));
  } catch (cause) {
    return unavailable(cause);
  }
}

function consentRecord({ consentId, sha256, attestedAt, sourceKind }: UploadConsentRow): Consent {
  return { consent_id: consentId, sha256, attested_at: attestedAt, source_kind: sourceKind };
}

/** Records that the account may use the likeness in the bytes of a digest. Each call records an agreement of its own. */
export async function attest(
  ledger: D1Database | null,
  account: string,
  { sha256, source_kind: sourceKind }: ConsentRequest,
): Promise<Outcome<Consent>> {
  return ask(ledger, async (open) => {
    const row = { consentId: newId(), account, sha256, sourceKind, attestedAt: nowSeconds() };
    await insertUploadConsent(open, row);
    return consentRecord(row);
  });
}

export async function readConsents(ledger: D1Database | null, account: string): Promise<Outcome<Consent[]>> {
  return ask(ledger, async (open) => (await listUploadConsents(open, account)).map(consentRecord));
}

/** Whether the account agreed, under this token, to exactly the bytes of the digest. */
export async function checkConsent(
  ledger: D1Database | null,
  claimed: { account: string; consentId: string; sha256: string },
): Promise<Outcome<boolean>> {
  return ask(ledger, (open) => hasUploadConsent(open, claimed));
}
