// Seated stills: the same person, seated and framed for a call, from an uploaded photograph.

import { z } from "zod";
import { limits } from "./limits.ts";

/** `POST /auth/seated-still`; the upload's field is `file`, a PNG or JPEG of at most 15 MB. */
export const stillRequestSchema = z.strictObject({
  upload_id: z.string().min(1).max(64),
  note: z.string().max(limits.stillNoteChars).optional(),
  /** For example `{"outfit": "a grey jacket"}`; handed to the generator as it is. */
  look: z.record(z.string().max(64), z.string().max(500)).optional(),
});
export type StillRequest = z.infer<typeof stillRequestSchema>;

/** 202. */
export const stillStartedSchema = z.object({ job_id: z.string() });

/** `GET /auth/seated-still/{jobId}`. */
export const stillJobSchema = z.discriminatedUnion("state", [
  z.object({ state: z.enum(["pending", "running"]) }),
  z.object({
    state: z.literal("done"),
    /** Signed URL of the PNG. */
    image_url: z.string(),
    /** Whether somebody compared the faces, and how alike they are (0..1). */
    identity_checked: z.boolean(),
    identity_score: z.number().nullable(),
  }),
  z.object({
    state: z.literal("failed"),
    error: z.enum(["not_the_same_person", "bad_request", "generation_failed"]),
    message: z.string(),
  }),
]);
export type StillJob = z.infer<typeof stillJobSchema>;

/**
 * What `STILL_URL` answers to a POST of `{image_url, note, look}`: the photograph's signed URL, and null for what was not
 * given. The message is for whoever runs the generator and is shown to nobody.
 */
export const stillGeneratorAnswerSchema = z.union([
  z.object({
    /** Base64 of the PNG; the whole answer has at most 8 MiB. */
    image: z.string(),
    identity_checked: z.boolean().default(false),
    identity_score: z.number().min(0).max(1).nullable().default(null),
  }),
  z.object({
    error: z.enum(["not_the_same_person", "bad_request", "generation_failed"]),
    message: z.string().max(500),
  }),
]);
