// Small always-on reads that any credential of either plane may make.

import { z } from "zod";
import { modelRowSchema } from "./models.ts";
import { toneSchema } from "./tones.ts";

/** `GET /v1/public/status`: how many boxes with a fresh heartbeat are in each state. */
export const publicStatusSchema = z.object({
  portal: z.literal("ok"),
  boxes: z.object({ free: z.int(), busy: z.int(), draining: z.int() }),
  generated_at: z.int(),
});

/** `GET /v1/public/tones` and `GET /auth/avatars/tones`. */
export const toneListSchema = z.object({ tones: z.array(toneSchema) });

/** `GET /v1/public/models`. */
export const modelListSchema = z.object({ models: z.array(modelRowSchema) });
