// The avatar library that the portal keeps, built from what boxes report, and the media beside it.

import { z } from "zod";
import { avatarStateSchema, buildReportSchema, framingSchema } from "./avatars.ts";
import { clipSchema } from "./clips.ts";
import { toneSchema } from "./tones.ts";

export const sourceKindSchema = z.enum(["photo", "image", "video", "unknown"]);
export const visibilitySchema = z.enum(["private", "public"]);

export const libraryAvatarSchema = z.object({
  avatar_id: z.string(),
  /** The name, or the id read as words. */
  display_name: z.string(),
  /** The name, or the id itself. */
  name: z.string(),
  source_kind: sourceKindSchema,
  state: avatarStateSchema,
  created_at: z.int(),
  updated_at: z.int(),
  prepared_in_region: z.string(),
  weights_volume: z.string(),
  detail: z.string(),
  visibility: visibilitySchema,
});
export type LibraryAvatar = z.infer<typeof libraryAvatarSchema>;

/** `GET /auth/avatars`. */
export const libraryListSchema = z.object({ avatars: z.array(libraryAvatarSchema) });

/** `GET /auth/avatars/public`; `mine` marks the caller's own rows. */
export const publicAvatarSchema = libraryAvatarSchema.extend({ mine: z.boolean() });
export type PublicAvatar = z.infer<typeof publicAvatarSchema>;
export const publicListSchema = z.object({ avatars: z.array(publicAvatarSchema) });

/** `PUT /auth/avatars/{id}/visibility`. */
export const visibilityRequestSchema = z.strictObject({ visibility: visibilitySchema });
export const libraryAvatarAnswerSchema = z.object({ avatar: libraryAvatarSchema });

/** `GET /auth/avatars/{id}/assets`; the URLs are signed and short lived. */
export const assetsSchema = z.object({
  avatar_id: z.string(),
  assets: z.array(
    z.object({
      kind: z.enum(["image", "video"]),
      filename: z.string(),
      size_bytes: z.int(),
      updated_at: z.int(),
      url: z.string(),
    }),
  ),
  expires_in: z.int(),
});

/** Which part of the source the avatar was cut from; fractions of its width and height. */
export const cropSchema = z.object({
  crop: framingSchema,
  x: z.number(),
  y: z.number(),
  w: z.number(),
  h: z.number(),
});

export const avatarSourceSchema = z.object({
  kind: sourceKindSchema,
  filename: z.string(),
  sha256: z.string(),
});

/** `GET /auth/avatars/{id}/clips`: the box's clip list and what only the portal knows. */
export const portalClipListSchema = z.object({
  avatar: z.string(),
  clips: z.array(clipSchema),
  source: avatarSourceSchema.nullable(),
  framing: cropSchema.nullable(),
  capabilities: z.object({ can_generate: z.boolean(), reason: z.string() }),
  /** The last build; null when no box has told of one. */
  build: buildReportSchema.nullable(),
  served_by: z.literal("portal"),
});

/** `GET /auth/avatars/{id}/clips/{tone}/video`. */
export const clipVideoSchema = z.object({
  url: z.string(),
  expires_in: z.int(),
  expires_at: z.int(),
  tone: toneSchema,
  updated_at: z.number(),
});

export const erasureArtefactSchema = z.enum([
  "registry_record",
  "public_listing",
  "archived_media",
  "prepared_avatar",
]);
export type ErasureArtefact = z.infer<typeof erasureArtefactSchema>;

/** `DELETE /auth/avatars/{id}`, always 202. `complete` exactly when nothing is pending. */
export const erasureReceiptSchema = z.object({
  avatar_id: z.string(),
  status: z.enum(["pending", "complete"]),
  erased: z.array(erasureArtefactSchema),
  pending: z.array(erasureArtefactSchema),
});
export type ErasureReceipt = z.infer<typeof erasureReceiptSchema>;
