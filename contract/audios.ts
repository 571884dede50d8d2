// Sound files that a live face can be made to speak.

import { z } from "zod";

/** `POST /api/upload`: the name is what `POST /offer` takes as `audio`. */
export const audioUploadedSchema = z.object({
  ok: z.literal(true),
  audio: z.string(),
  duration_s: z.number(),
});

/** `GET /api/audios`: the caller's own, newest first. */
export const audioListSchema = z.object({
  audios: z.array(
    z.object({
      name: z.string(),
      duration_s: z.number(),
      bytes: z.int(),
      created_at: z.int(),
    }),
  ),
});
export type AudioList = z.infer<typeof audioListSchema>;
