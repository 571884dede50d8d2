// Avatars as a box lists them, and what making one answers.

import { z } from "zod";
import { toneSchema } from "./tones.ts";

export const avatarStateSchema = z.enum(["preparing", "ready", "failed"]);
export type AvatarState = z.infer<typeof avatarStateSchema>;

/** Ids are lower-case words joined by dashes; a tone's variant is `<avatar id>__<tone>`. */
export const avatarIdPattern = /^[a-z0-9](?:[a-z0-9-]{0,62}[a-z0-9])?$/;

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

/** One line of the tone-build journal. */
export const buildReportSchema = z.object({
  tone: toneSchema,
  state: z.enum(["generating", "generated", "failed"]),
  detail: z.string(),
  started_at: z.int(),
  finished_at: z.int().nullable(),
});

/** `GET /api/avatars`. */
export const avatarListSchema = z.object({
  avatars: z.array(z.string()),
  groups: z.array(avatarGroupSchema),
  preparing: z.array(z.string()),
  active: z.string(),
  active_group: z.string(),
  builds: z.record(z.string(), z.array(buildReportSchema)),
});
export type AvatarList = z.infer<typeof avatarListSchema>;

/** `POST /api/avatar`. */
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
