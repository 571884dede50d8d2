// Clips: short silent loops of one avatar in one delivery tone.

import { z } from "zod";
import { toneSchema } from "./tones.ts";

/** Absent from a list means `not_requested`. */
export const clipStateSchema = z.enum(["generated", "generating", "failed", "not_requested"]);
export const clipSchema = z.object({
  tone: toneSchema,
  state: clipStateSchema,
  variant_id: z.string(),
  duration_s: z.number().nullable(),
  updated_at: z.int(),
  detail: z.string(),
});
export type Clip = z.infer<typeof clipSchema>;
