// Avatars as a box lists them, and what making one answers.

import { z } from "zod";
import { clipSchema } from "./clips.ts";
import { baseTone, toneSchema, type Tone } from "./tones.ts";

export const avatarStateSchema = z.enum(["preparing", "ready", "failed"]);
export type AvatarState = z.infer<typeof avatarStateSchema>;

export const avatarGroupSchema = z.object({
  id: z.string(),
  display_name: z.string(),
  variants: z.array(z.string()),
  tones: z.array(toneSchema),
  /** Variant that has a still on disk; an id, not a URL. */
  preview: z.string(),
  stock: z.boolean(),
});
export type AvatarGroup = z.infer<typeof avatarGroupSchema>;

/** What a build is doing, in the order it does it; a failed one stays at the step it failed in. */
export const buildStepSchema = z.enum(["decode", "landmarks", "preview", "rig", "clips", "done"]);
export type BuildStep = z.infer<typeof buildStepSchema>;

/** The last build of an avatar on this box. */
export const buildReportSchema = z.object({
  state: avatarStateSchema,
  step: buildStepSchema,
  /** 0..1. */
  progress: z.number(),
  /** Why it failed; empty otherwise. */
  detail: z.string(),
  started_at: z.int(),
  finished_at: z.int().nullable(),
  /** The clips that were asked for with it, as they are now. */
  clips: z.array(clipSchema).optional(),
});
export type BuildReport = z.infer<typeof buildReportSchema>;

/** `GET /api/avatars`. */
export const avatarListSchema = z.object({
  avatars: z.array(z.string()),
  groups: z.array(avatarGroupSchema),
  preparing: z.array(z.string()),
  active: z.string(),
  active_group: z.string(),
  /** By avatar id; an avatar that has not been built since the box started has none. */
  builds: z.record(z.string(), buildReportSchema),
});
export type AvatarList = z.infer<typeof avatarListSchema>;

/** `POST /api/avatar`. `active` is the account's active avatar; empty while none exists. */
export const avatarCreatedSchema = z.object({
  avatar: z.string(),
  display_name: z.string(),
  status: z.enum(["preparing", "ready"]),
  tones: z.array(toneSchema),
  /** Why fewer tones are coming than were asked for; empty when all are. */
  note: z.string(),
  active: z.string(),
});
export type AvatarCreated = z.infer<typeof avatarCreatedSchema>;

export const framingSchema = z.enum(["head", "bust", "full"]);
export type Framing = z.infer<typeof framingSchema>;

/** The id a tone of an avatar is served under: the bare id for the base tone. */
export function variantId(avatar: string, tone: Tone): string {
  return tone === baseTone ? avatar : `${avatar}__${tone}`;
}

/** Avatar and tone of a variant id; null where what follows `__` is no tone. */
export function parseVariantId(id: string): { avatar: string; tone: Tone } | null {
  const at = id.lastIndexOf("__");
  if (at < 0) return { avatar: id, tone: baseTone };
  const tone = toneSchema.safeParse(id.slice(at + 2));
  return tone.success ? { avatar: id.slice(0, at), tone: tone.data } : null;
}

/** `GET /api/videos`: every variant that the caller may speak with, as a source upload. */
export const videoListSchema = z.object({
  videos: z.array(
    z.object({
      /** Variant id. */
      id: z.string(),
      status: avatarStateSchema,
      kind: z.enum(["photo", "video"]),
      /** Of the uploaded file; null for bundled faces. */
      bytes: z.int().nullable(),
      identity: z.string(),
      emotion: toneSchema,
      active: z.boolean(),
      deletable: z.boolean(),
      /** Why a ready avatar is not in the portal's library; null when it is. */
      registry_note: z.string().nullable(),
    }),
  ),
  active: z.string(),
});
export type VideoList = z.infer<typeof videoListSchema>;

/** `POST /api/avatar/delete`. */
export const avatarDeleteRequestSchema = z.strictObject({ avatar: z.string().min(1).max(200) });
export const avatarDeletedSchema = z.object({
  deleted: z.string(),
  active: z.string().nullable(),
  videos: videoListSchema.shape.videos,
});

/** `GET /api/avatar/clips`. */
export const clipListSchema = z.object({ avatar: z.string(), clips: z.array(clipSchema) });
export type ClipList = z.infer<typeof clipListSchema>;

/** `POST /api/avatar/clips/retry`. */
export const clipRetryRequestSchema = z.strictObject({
  avatar: z.string().min(1).max(200),
  tone: z.string().min(1).max(64),
});
export const clipRetryAnswerSchema = z.object({
  avatar: z.string(),
  tone: toneSchema,
  variant_id: z.string(),
  state: z.literal("generating"),
});

/** `POST /v1/photo_avatar.create`. */
export const photoAvatarSchema = z.object({
  data: z.object({
    avatar_id: z.string(),
    clips: z.array(
      z.object({
        tone: toneSchema,
        /** Who made the clip: the built-in motion renderer, or the HTTP generator. */
        template: z.string(),
        /** Where its MP4 is served. */
        path: z.string(),
        duration_s: z.number(),
        fps: z.int(),
        /** The frame at which it begins again. */
        loop_frame: z.int(),
        /** The id it is served under. */
        avatar_id: z.string(),
        /** Whether its preparation was queued. */
        queued: z.boolean(),
      }),
    ),
  }),
});
export type PhotoAvatar = z.infer<typeof photoAvatarSchema>;
