import { z } from "zod";

export const boxStateSchema = z.enum(["free", "busy", "draining"]);
export type BoxState = z.infer<typeof boxStateSchema>;

/** `GET /health` of the portal. */
export const portalHealthSchema = z.object({
  ok: z.literal(true),
  service: z.literal("portal"),
  version: z.string(),
  commit: z.string(),
});

/** `GET /health` of a box. */
export const boxHealthSchema = z.object({
  ok: z.literal(true),
  service: z.literal("box"),
  version: z.string(),
  commit: z.string(),
  state: boxStateSchema,
  uptime_s: z.number(),
});
