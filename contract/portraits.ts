// Faces of nobody: portraits generated from a persona, looked at and approved by a person before clips are paid for.

import { z } from "zod";
import { sha256Schema } from "./consents.ts";
import { limits } from "./limits.ts";

/** `POST /auth/portraits`. */
export const portraitRequestSchema = z.strictObject({
  persona: z.string().trim().min(1).max(limits.personaChars),
});

/** `POST /auth/portraits/{id}/approve`: the digest of the bytes the person looked at. */
export const portraitApprovalSchema = z.strictObject({ sha256: sha256Schema });

export const portraitSchema = z.object({
  portrait: z.object({
    portrait_id: z.string(),
    persona: z.string(),
    state: z.literal("ready"),
    /** 1 for the first, one more for each regeneration. */
    attempt: z.int(),
    /** The portrait this one was regenerated from. */
    parent_id: z.string().nullable(),
    sha256: sha256Schema,
    /** Signed URL of the PNG. */
    image_url: z.string(),
    expires_in: z.int(),
    created_at: z.int(),
    approved_at: z.int().nullable(),
  }),
});
export type Portrait = z.infer<typeof portraitSchema>["portrait"];
