// Uploads that go straight to storage, under URLs the portal signs.

import { z } from "zod";
import { limits } from "./limits.ts";
import { tones } from "./tones.ts";

/** The multipart field a file would have had on `POST /api/avatar`. */
export const uploadFieldSchema = z.enum(["file", ...tones.map((tone) => `take__${tone}` as const)]);
export type UploadField = z.infer<typeof uploadFieldSchema>;

export const imageTypes = ["image/jpeg", "image/png"] as const;
export const videoTypes = ["video/mp4", "video/quicktime", "video/webm"] as const;
export const uploadTypeSchema = z.enum([...imageTypes, ...videoTypes]);
export type UploadType = z.infer<typeof uploadTypeSchema>;

/** `POST /auth/uploads`. Sizes are bytes; past their limits it is 413 `upload_too_large`, not 400. */
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
