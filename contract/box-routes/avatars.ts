// Faces: listing, making, clips and stills.

import { z } from "zod";
import {
  avatarCreatedSchema,
  avatarDeletedSchema,
  avatarDeleteRequestSchema,
  avatarListSchema,
  clipListSchema,
  clipRetryAnswerSchema,
  clipRetryRequestSchema,
  framingSchema,
  photoAvatarSchema,
  videoListSchema,
} from "../avatars.ts";
import { stillJobSchema, stillRequestSchema, stillStartedSchema } from "../stills.ts";
import { bytes, form, json, type BoxRoute } from "./route.ts";

const file = (description: string) => z.string().meta({ format: "binary", description });

const clipFields = {
  tones: z.string().optional().meta({ description: "Comma separated." }),
  consent_token: z.string().optional().meta({ description: "`consent_id` of `POST /auth/consents`." }),
  framing: framingSchema.optional(),
  gesture_amplitude: z.number().min(0).max(1).optional(),
  ai_generated: z.string().optional().meta({ description: "`true`, `1`, `yes`, `y` or `on`." }),
};

const avatarFormSchema = z.object({
  file: file("PNG or JPEG of at most 15 MB, or MP4, MOV or WEBM. Not with `upload_id`.").optional(),
  upload_id: z.string().optional().meta({ description: "Of `POST /auth/uploads`." }),
  name: z.string().optional(),
  ...clipFields,
  "take__<tone>": file("Footage of one tone; further takes are `take__<tone>__1` and so on.").optional(),
});

const photoAvatarFormSchema = z.object({
  file: file("The photograph, or a video declared as made by AI."),
  avatar_id: z.string().optional(),
  name: z.string().optional(),
  ...clipFields,
});

const stillFormSchema = z.object({
  file: file("PNG or JPEG of at most 15 MB."),
  note: z.string().optional(),
  look: z.string().optional().meta({ description: "JSON." }),
});

export const avatarRoutes: BoxRoute[] = [
  {
    method: "get",
    path: "/api/avatars",
    summary: "Avatars on this box",
    status: 200,
    answer: json(avatarListSchema),
    envelope: "flat",
    failures: [503],
  },
  {
    method: "get",
    path: "/api/avatar/preview",
    summary: "Still of an avatar",
    query: { avatar: "Avatar id." },
    status: 200,
    answer: [{ type: "image/jpeg", schema: null }],
    envelope: "flat",
    failures: [400, 404, 503],
  },
  {
    method: "post",
    path: "/api/avatar",
    summary: "Make an avatar from one photograph, or from a video and takes of its tones",
    body: form(avatarFormSchema),
    status: 200,
    answer: json(avatarCreatedSchema),
    envelope: "structured",
    failures: [400, 404, 409, 413, 429, 501, 503],
  },
  {
    method: "get",
    path: "/api/videos",
    summary: "The variants of the avatars on this box, with what each was made from",
    status: 200,
    answer: json(videoListSchema),
    envelope: "flat",
    failures: [503],
  },
  {
    method: "post",
    path: "/api/avatar/delete",
    summary: "Delete an uploaded avatar from this box; deprecated, see `DELETE /auth/avatars/{id}`",
    body: json(avatarDeleteRequestSchema),
    status: 200,
    answer: json(avatarDeletedSchema),
    envelope: "flat",
    failures: [400, 403, 404, 409, 413, 503],
  },
  {
    method: "get",
    path: "/api/avatar/clips",
    summary: "Tone clips of an avatar; a tone that is absent was never asked for",
    query: { avatar: "Avatar or variant id." },
    status: 200,
    answer: json(clipListSchema),
    envelope: "structured",
    failures: [400, 404, 503],
  },
  {
    method: "post",
    path: "/api/avatar/clips/retry",
    summary: "Build the clip of one tone",
    body: json(clipRetryRequestSchema),
    status: 202,
    answer: json(clipRetryAnswerSchema),
    envelope: "structured",
    failures: [400, 403, 404, 409, 413, 501, 503],
  },
  {
    method: "get",
    path: "/api/avatar/clip",
    summary: "The clip of one tone",
    query: { avatar: "Avatar or variant id.", tone: "Default: the variant's own, else the base tone." },
    status: 200,
    answer: [bytes("video/mp4")],
    also: {
      206: "The part that a Range asks for",
      304: "What If-None-Match names is what there is",
      416: "A Range that begins behind its end; no body",
    },
    envelope: "structured",
    failures: [400, 404, 503],
  },
  {
    method: "post",
    path: "/v1/photo_avatar.create",
    summary: "Make an avatar with its tone clips, and answer when they are made",
    body: form(photoAvatarFormSchema),
    status: 200,
    answer: json(photoAvatarSchema),
    envelope: "structured",
    failures: [400, 403, 404, 409, 413, 429, 501, 502, 503],
  },
  {
    method: "post",
    path: "/api/avatar/seated-still",
    summary: "Re-frame a photograph to a seated bust of the same person",
    body: [...json(stillRequestSchema), ...form(stillFormSchema)],
    status: 202,
    answer: json(stillStartedSchema),
    envelope: "structured",
    failures: [400, 404, 413, 429, 503],
  },
  {
    method: "get",
    path: "/api/avatar/seated-still/{job_id}",
    summary: "How a seated still is coming along",
    status: 200,
    answer: json(stillJobSchema),
    envelope: "structured",
    failures: [404, 503],
  },
  {
    method: "get",
    path: "/api/avatar/seated-still/{job_id}/image",
    summary: "The picture of a finished seated still",
    status: 200,
    answer: [bytes("image/png")],
    envelope: "structured",
    failures: [404, 503],
  },
];
