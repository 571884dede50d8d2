// The avatar library that the portal keeps, built from what boxes report.

import { z } from "zod";
import { avatarStateSchema } from "./avatars.ts";

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
