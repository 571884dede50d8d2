// Avatars as a box lists them, and what making one answers.

import { z } from "zod";
import { toneSchema } from "./tones.ts";

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
export const buildStepSchema = z.enum(["decode", "landmarks", "preview", "rig", "done"]);
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
