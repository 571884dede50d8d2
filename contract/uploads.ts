// Uploads that go straight to storage, under URLs the portal signs.

import { z } from "zod";
import { limits } from "./limits.ts";
import { tones } from "./tones.ts";

/** A tone's takes are numbered from the second on: `take__warm`, `take__warm__1`, `take__warm__2`. */
const fieldPattern = new RegExp(`^(?:file|take__(?:${tones.join("|")})(?:__[1-9]\\d?)?)$`);

/** The multipart field a file would have had on `POST /api/avatar`. */
export const uploadFieldSchema = z
  .string()
  .regex(fieldPattern, "must be file, or take__ and a tone")
  .describe("`file`, or `take__<tone>` and from the second take of a tone on `take__<tone>__<n>`");

export const imageTypes = ["image/jpeg", "image/png"] as const;
export const videoTypes = ["video/mp4", "video/quicktime", "video/webm"] as const;
export const isImage = (contentType: string): boolean =>
  (imageTypes as readonly string[]).includes(contentType);
export const uploadTypeSchema = z.enum([...imageTypes, ...videoTypes]);
export type UploadType = z.infer<typeof uploadTypeSchema>;

/**
 * `POST /auth/uploads`. Sizes are bytes; past their limits it is 413 `upload_too_large`, not 400. There must be one `file`,
 * no field may occur twice, and takes are videos.
 */
export const uploadRequestSchema = z.strictObject({
  files: z
    .array(
      z.strictObject({
        field: uploadFieldSchema,
        filename: z.string().trim().min(1).max(200),
        content_type: uploadTypeSchema,
        size: z.int().min(1),
      }),
    )
    .min(1)
    .max(limits.uploadFiles),
});
export type UploadRequest = z.infer<typeof uploadRequestSchema>;

/** Where one file goes: PUT its bytes to `url` with exactly these headers. */
export const putGrantSchema = z.object({ url: z.string(), headers: z.record(z.string(), z.string()) });
export type PutGrant = z.infer<typeof putGrantSchema>;

/** 201: one entry for each file that was asked for, in the same order. */
export const uploadGrantSchema = z.object({
  upload_id: z.string(),
  files: z.array(
    putGrantSchema.extend({
      field: uploadFieldSchema,
      filename: z.string(),
      expires_in: z.int(),
      expires_at: z.int(),
    }),
  ),
});
export type UploadGrant = z.infer<typeof uploadGrantSchema>;
