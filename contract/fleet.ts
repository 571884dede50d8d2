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
