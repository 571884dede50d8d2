// Sessions as the box that holds them writes them.

import { z } from "zod";
import { sha256Schema } from "../consents.ts";
import { endReasonSchema, sessionKindSchema } from "../live.ts";
import { limits } from "../limits.ts";
import { transcriptLineSchema } from "../sessions.ts";
import { putGrantSchema } from "../uploads.ts";

/** Of the box's making; a segment of object keys, so nothing but letters, digits, `-` and `_`. */
const sessionIdSchema = z.string().regex(/^[\w-]{1,100}$/);

/** Largest object one PUT may store: https://developers.cloudflare.com/r2/platform/limits/ (5 GiB less 5 MiB). */
const recordingMaxBytes = 5115 * 1024 * 1024;

/** `POST /internal/sessions/report`: a live session began or ended. */
export const sessionReportSchema = z.strictObject({
  session_id: sessionIdSchema,
  account: z.string(),
  kind: sessionKindSchema,
  avatar_id: z.string(),
  started_at: z.int(),
  ended_at: z.int().nullable(),
  end_reason: endReasonSchema.nullable(),
  turns: z.int().min(0),
  model: z.string().max(200).optional(),
  voice: z.string().max(200).optional(),
  /** The prompt's first 80 characters. */
  persona: z.string().max(limits.sessionPersonaChars).optional(),
});
export type SessionReport = z.infer<typeof sessionReportSchema>;

/** Answer to every report that is simply kept. */
export const keptAnswerSchema = z.object({ ok: z.literal(true) });

/** Most lines of a session, and most characters of a line: ten hours of quick talk, and more than a model writes at once. */
export const transcriptLimits = { lines: 10_000, lineChars: 100_000 } as const;

/**
 * `POST /internal/sessions/transcript`: lines by their place in the transcript; the same place again replaces its line.
 * 404 `session_not_found` unless this box began the session for this account.
 */
export const transcriptReportSchema = z.strictObject({
  session_id: sessionIdSchema,
  account: z.string(),
  lines: z
    .array(
      transcriptLineSchema.extend({
        index: z
          .int()
          .min(0)
          .max(transcriptLimits.lines - 1),
        content: z.string().max(transcriptLimits.lineChars),
      }),
    )
    .min(1)
    .max(100),
});
export type TranscriptReport = z.infer<typeof transcriptReportSchema>;

/**
 * `POST /internal/sessions/recording`: where to PUT a recording that the person agreed to; asking again starts it over.
 * 409 `terms_outdated` unless the agreement names the terms of the moment it was made.
 */
export const recordingRequestSchema = z.strictObject({
  session_id: sessionIdSchema,
  account: z.string(),
  content_type: z.literal("video/mp4"),
  size: z.int().min(1).max(recordingMaxBytes),
  sha256: sha256Schema,
  consent: z.strictObject({ terms_version: z.string(), terms_digest: sha256Schema, agreed_at: z.int() }),
});
export type RecordingRequest = z.infer<typeof recordingRequestSchema>;
export const recordingGrantSchema = putGrantSchema;
/**
 * `POST /internal/sessions/recording/done`: it was PUT, and is checked before the row says `has_recording`.
 * 404 `unknown_upload` when it is not there as it was granted.
 */
export const recordingDoneSchema = z.strictObject({ session_id: sessionIdSchema, account: z.string() });
export type RecordingDone = z.infer<typeof recordingDoneSchema>;

/** `POST /internal/usage`: what a session or a metered call cost; the same id again changes nothing. */
export const usageReportSchema = z.strictObject({
  usage_id: z.string().max(100),
  account: z.string(),
  session_id: sessionIdSchema.nullable(),
  kind: z.enum(["session", "room", "clip", "preview"]),
  seconds: z.number().min(0),
  turns: z.int().min(0),
  at: z.int(),
  /** Ids the caller gave along, for example a meeting's. */
  labels: z.record(z.string().max(64), z.string().max(200)).default({}),
});
export type UsageReport = z.infer<typeof usageReportSchema>;
