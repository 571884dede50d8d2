// What boxes report of avatars, the media they hand to the archive, and what they must erase.

import { z } from "zod";
import { avatarStateSchema, buildReportSchema } from "../avatars.ts";
import { clipSchema } from "../clips.ts";
import { sha256Schema } from "../consents.ts";
import { avatarSourceSchema, cropSchema } from "../library.ts";
import { toneSchema } from "../tones.ts";
import { imageTypes, putGrantSchema, videoTypes } from "../uploads.ts";

/** `POST /internal/avatars/report`: what a box observed of an avatar; makes or moves its library record. */
export const avatarReportSchema = z.strictObject({
  account: z.string(),
  avatar_id: z.string(),
  /** Null when nobody named it. */
  name: z.string().nullable(),
  source_kind: z.enum(["photo", "image", "video", "unknown"]),
  state: avatarStateSchema,
  detail: z.string(),
  region: z.string(),
  weights_volume: z.string(),
  /**
   * When the box took in what it is made from. Whatever was made before an erasure, or in the same second, is part of
   * what was erased; of two uploads under one id the later one counts.
   */
  made_at: z.int().optional(),
  /** What it was made from; absent until the box knows. */
  source: avatarSourceSchema.omit({ kind: true }).optional(),
  framing: cropSchema.optional(),
  /** The agreement that came with the upload. */
  consent_id: z.string().optional(),
  /** The build behind `state`. */
  build: buildReportSchema.optional(),
});
export type AvatarReport = z.infer<typeof avatarReportSchema>;

/** Answer to an avatar report. `registry_note` says why an avatar is not in the library; it is empty when it is. */
export const avatarReportAnswerSchema = z.object({ ok: z.literal(true), registry_note: z.string() });

/** A file of an avatar's archive: its source, its still, or the clip of one tone. */
export const archiveFileSchema = z.strictObject({
  role: z.enum(["source", "still", "clip"]),
  /** Of a clip. */
  tone: toneSchema.nullable(),
  filename: z.string().regex(/^[\w][\w.-]{0,99}$/),
  content_type: z.enum([...imageTypes, ...videoTypes]),
  size: z.int().min(1),
  sha256: sha256Schema,
});
export type ArchiveFile = z.infer<typeof archiveFileSchema>;

/** `POST /internal/avatars/media`: where to PUT files of an avatar's archive. */
export const archiveRequestSchema = z.strictObject({
  account: z.string(),
  avatar_id: z.string(),
  /** As in the report: files of an erased avatar never join the archive of the one that came after it. */
  made_at: z.int().optional(),
  files: z.array(archiveFileSchema).min(1).max(20),
});
export const archiveGrantSchema = z.object({ files: z.array(putGrantSchema) });

/** `POST /internal/avatars/media/done`: the files were PUT; each is checked before it joins the archive. */
export const archiveDoneRequestSchema = archiveRequestSchema;
export const archiveDoneAnswerSchema = z.object({ ok: z.literal(true) });

/** `POST /internal/avatars/clips`: the state of one tone's clip moved. */
export const clipReportSchema = z.strictObject({
  account: z.string(),
  avatar_id: z.string(),
  /** As in the report. */
  made_at: z.int().optional(),
  clip: clipSchema,
});
export type ClipReport = z.infer<typeof clipReportSchema>;
export const clipReportAnswerSchema = z.object({ ok: z.literal(true) });

/** `POST /internal/erasures/pending`: avatars that may still be prepared on this weights volume and must go. */
export const erasuresRequestSchema = z.strictObject({ weights_volume: z.string() });
export const erasuresAnswerSchema = z.object({
  erasures: z.array(
    z.object({
      erasure_id: z.string(),
      account: z.string(),
      avatar_id: z.string(),
      /** An avatar of this id that was made later than this is another one, and stays. */
      erased_at: z.int(),
    }),
  ),
});

/** `POST /internal/erasures/done`: these are gone from this weights volume. */
export const erasuresDoneSchema = z.strictObject({
  weights_volume: z.string(),
  erasure_ids: z.array(z.string()).max(1000),
});
export const erasuresDoneAnswerSchema = z.object({ ok: z.literal(true) });

/** `POST /internal/uploads/claim`: takes up an upload for `POST /api/avatar`. Every file was checked; it can be claimed once. */
export const uploadClaimSchema = z.strictObject({ account: z.string(), upload_id: z.string().max(64) });
export const uploadClaimAnswerSchema = z.object({
  files: z.array(
    z.object({
      field: z.string(),
      filename: z.string(),
      content_type: z.string(),
      size: z.int(),
      /** Signed GET. */
      url: z.string(),
    }),
  ),
});
export type ClaimedUpload = z.infer<typeof uploadClaimAnswerSchema>;

/** `POST /internal/consents/check`: whether the account agreed to exactly these bytes under this token. */
export const consentCheckSchema = z.strictObject({
  account: z.string(),
  consent_token: z.string().max(100),
  sha256: sha256Schema,
});
export const consentCheckAnswerSchema = z.object({ agreed: z.boolean() });
