// Recordings: where a box may PUT one, and when it counts.

import type { z } from "zod";
import type { recordingRequestSchema } from "../../contract/internal/sessions.ts";
import type { PutGrant } from "../../contract/uploads.ts";
import { wereRecordingTerms, type EarlierTerms } from "../consents/terms.ts";
import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { isAsGranted, type Signer } from "../platform/storage.ts";
import { consentKey, recordingKey } from "./folders.ts";
import {
  findGranted,
  grantRecording,
  settleRecording,
  type BoxSession,
  type RecordingRow,
} from "./report-store.ts";
import { notHeld } from "./reports.ts";
import { storeFailed } from "./sessions.ts";

export type RecordingRequest = z.infer<typeof recordingRequestSchema>;

/** Grants the PUT of one recording, to which the person agreed under the terms of that moment. */
export async function beginRecording(
  db: D1Database,
  boxId: string,
  {
    request,
    signer,
    earlierTerms,
  }: { request: RecordingRequest; signer: Signer | null; earlierTerms?: readonly EarlierTerms[] },
): Promise<Outcome<PutGrant>> {
  if (!signer) return failure("media_unavailable", "This portal cannot sign URLs, so nothing can be stored.");
  const { session_id: sessionId, account, consent } = request;
  const { terms_version: version, terms_digest: digest, agreed_at: agreedAt } = consent;
  if (!(await wereRecordingTerms({ version, digest, agreedAt }, earlierTerms))) {
    return failure("terms_outdated", "These were not the recording terms when the person agreed to them.");
  }
  try {
    const granted = await grantRecording(db, {
      boxId,
      account,
      sessionId,
      contentType: request.content_type,
      size: request.size,
      sha256: request.sha256,
      termsVersion: consent.terms_version,
      termsDigest: consent.terms_digest,
      agreedAt: consent.agreed_at,
      grantedAt: nowSeconds(),
    });
    if (!granted) return notHeld;
    const { content_type: contentType, size } = request;
    return success(await signer.put(recordingKey(sessionId), { contentType, size }));
  } catch (cause) {
    return storeFailed(cause);
  }
}

/** The agreement as it lies beside the recording. Like every consent record it names no owner. */
const consentRecord = (row: RecordingRow) => ({
  session_id: row.sessionId,
  terms_version: row.termsVersion,
  terms_digest: row.termsDigest,
  agreed_at: row.agreedAt,
  recording: { sha256: row.sha256, size_bytes: row.size, content_type: row.contentType },
});

/** Checks what was PUT, writes the agreement beside it and lets the recording count. Again is fine. */
export async function finishRecording(
  { db, media }: Pick<Env, "db" | "media">,
  of: BoxSession,
): Promise<Outcome<null>> {
  let row: RecordingRow | null;
  try {
    row = await findGranted(db, of);
  } catch (cause) {
    return storeFailed(cause);
  }
  if (!row) return notHeld;
  try {
    const expected = { key: recordingKey(of.sessionId), size: row.size, contentType: row.contentType };
    if (!(await isAsGranted(media, expected))) {
      return failure("unknown_upload", "No recording of the granted size and type has arrived.");
    }
    await media.put(consentKey(of.sessionId), JSON.stringify(consentRecord(row), null, 2), {
      httpMetadata: { contentType: "application/json" },
    });
  } catch (cause) {
    return failure("media_unavailable", "The storage cannot be reached just now. Try again.", cause);
  }
  try {
    return (await settleRecording(db, row, nowSeconds())) ? success(null) : notHeld;
  } catch (cause) {
    return storeFailed(cause);
  }
}
