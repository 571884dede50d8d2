// Session history.

import { z } from "zod";
import { endReasonSchema, sessionKindSchema } from "./live.ts";
import { limits } from "./limits.ts";
import { toneSchema } from "./tones.ts";

export const sessionRowSchema = z.object({
  id: z.string(),
  /** The edited one, else the user's first words, else "Session with" the avatar's name. */
  title: z.string(),
  /** The first words that were said. */
  preview: z.string(),
  avatar_id: z.string(),
  started_at: z.int(),
  /** Null while the session is live. */
  ended_at: z.int().nullable(),
  duration_seconds: z.int().nullable(),
  turns: z.int(),
  has_recording: z.boolean(),
  starred: z.boolean(),
  tags: z.array(z.string()),
  kind: sessionKindSchema,
  end_reason: endReasonSchema.nullable(),
  model: z.string(),
  voice: z.string(),
  /** First 80 characters of the prompt. */
  persona: z.string(),
  notes: z.string(),
});
export type SessionRow = z.infer<typeof sessionRowSchema>;

/**
 * Query of `GET /auth/sessions`. `limit` is an integer, clamped to 1..50; what is no integer counts as absent, which is
 * 20. `cursor` is the `next` of the page before, as it came; anything else is 400 `invalid_cursor`.
 */
export const sessionListQuerySchema = z.object({
  limit: z.string().optional(),
  cursor: z.string().optional(),
});

/** `GET /auth/sessions`, newest first; `next` is absent on the last page. */
export const sessionPageSchema = z.object({
  sessions: z.array(sessionRowSchema),
  next: z.string().optional(),
});
export type SessionPage = z.infer<typeof sessionPageSchema>;

export const transcriptLineSchema = z.object({
  role: z.enum(["user", "assistant"]),
  content: z.string(),
  /** Of an assistant's line. */
  tone: toneSchema.nullable(),
  at: z.int(),
});
export type TranscriptLine = z.infer<typeof transcriptLineSchema>;

/** `GET /auth/sessions/{id}`; `recording` and `consent` are short-lived links, null when there is none. */
export const sessionDetailSchema = z.object({
  session: sessionRowSchema,
  transcript: z.array(transcriptLineSchema),
  recording: z.string().nullable(),
  consent: z.string().nullable(),
});
export type SessionDetail = z.infer<typeof sessionDetailSchema>;

/**
 * `PATCH /auth/sessions/{id}`: any of these; another field is 400 `session_field_not_editable` naming it. An empty title
 * brings the automatic one back.
 */
export const sessionPatchSchema = z
  .strictObject({
    title: z.string().trim().max(limits.sessionTitleChars),
    notes: z.string().max(limits.sessionNotesChars),
    tags: z.array(z.string().trim().min(1).max(limits.sessionTagChars)).max(limits.sessionTags),
    starred: z.boolean(),
  })
  .partial();
export type SessionPatch = z.infer<typeof sessionPatchSchema>;
export const sessionAnswerSchema = z.object({ session: sessionRowSchema });

export const sessionArtefactSchema = z.enum([
  "transcript",
  "summary",
  "recording",
  "recording_consent",
  "session",
]);
/** `DELETE /auth/sessions/{id}`, always 202; a repeat while something is pending tries again and answers what is left. */
export const sessionErasureSchema = z.object({
  done: z.array(sessionArtefactSchema),
  pending: z.array(sessionArtefactSchema),
});
