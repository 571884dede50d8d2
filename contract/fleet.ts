// The boxes as an administrator sees them.

import { z } from "zod";
import { boxStateSchema } from "./health.ts";

export const fleetRowSchema = z.object({
  box_id: z.string(),
  public_url: z.string(),
  region: z.string(),
  state: boxStateSchema,
  room: z.string().nullable(),
  build: z.object({ known: z.boolean(), short_commit: z.string() }),
  heartbeat_at: z.int(),
  heartbeat_age_seconds: z.int(),
  fresh: z.boolean(),
  capacity: z.int(),
  avatars_warm: z.array(z.string()),
  drained: z.boolean(),
  leased: z.boolean(),
});

/** `GET /auth/admin/fleet`, newest heartbeat first. */
export const fleetSchema = z.object({ generated_at: z.int(), boxes: z.array(fleetRowSchema) });
export type FleetRow = z.infer<typeof fleetRowSchema>;

/** `POST /auth/admin/boxes`. */
export const boxStartRequestSchema = z.strictObject({ region: z.string().trim().min(1).max(64) });
/** 202: the driver was told to start a box of this id. */
export const boxStartedSchema = z.object({ box_id: z.string(), state: z.literal("starting") });
/** `POST /auth/admin/boxes/{id}/drain`, `/undrain` and `/stop`. */
export const fleetRowAnswerSchema = z.object({ box: fleetRowSchema });

/** What `LIFECYCLE=webhook` POSTs, signed in `X-Signature: t=…,v1=…` (HMAC-SHA-256 of `t.body`, hex). */
export const lifecycleOrderSchema = z.discriminatedUnion("action", [
  z.object({
    action: z.literal("start"),
    box_id: z.string(),
    /** The new box's `BOX_SECRET`; the portal keeps its digest alone. */
    box_secret: z.string(),
    region: z.string(),
    portal_url: z.string(),
  }),
  z.object({ action: z.literal("stop"), box_id: z.string(), region: z.string() }),
]);
export type LifecycleOrder = z.infer<typeof lifecycleOrderSchema>;
