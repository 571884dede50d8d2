// The model catalogue: which models a deployment offers, and what each accepts.

import { z } from "zod";

/** Where a model runs, most resident first. */
export const residencies = ["au", "apac", "global"] as const;
export const residencySchema = z.enum(residencies);
export type Residency = z.infer<typeof residencySchema>;

export const effortLevels = ["low", "medium", "high", "xhigh", "max"] as const;
export const effortSchema = z.enum(effortLevels);
export type Effort = z.infer<typeof effortSchema>;

export const reasoningLevels = ["off", "low", "medium", "high"] as const;
export const reasoningSchema = z.enum(reasoningLevels);
export type Reasoning = z.infer<typeof reasoningSchema>;

export const modelReadinessSchema = z.object({
  state: z.enum(["ready", "enabling", "unavailable", "unknown"]),
  reason: z.string(),
});
export type ModelReadiness = z.infer<typeof modelReadinessSchema>;

export const modelRowSchema = z.object({
  id: z.string(),
  label: z.string(),
  /** Advice only: any id may fill either slot. */
  tiers: z.array(z.enum(["quality", "fast"])),
  supports_sampling: z.boolean(),
  supports_effort: z.boolean(),
  effort_max: z.boolean(),
  reasoning: z.enum(["adaptive", "always", "budget", "none"]),
  forced_tool_choice_supported: z.literal(false).optional(),
  default_reasoning: reasoningSchema,
  provider: z.string(),
  residency: residencySchema,
  selectable: z.boolean(),
  status: modelReadinessSchema.optional(),
});
export type ModelRow = z.infer<typeof modelRowSchema>;

/** `POST /auth/models/{id}/warm` and `GET /auth/models/{id}/status`. */
export const modelStatusSchema = z.object({
  ok: z.boolean(),
  model: z.string(),
  state: modelReadinessSchema.shape.state,
  reason: z.string(),
  /** Present only while the state is still moving. */
  poll_after_seconds: z.int().optional(),
});
export type ModelStatus = z.infer<typeof modelStatusSchema>;

/** The scripted persona that needs no key and no network. */
export const rehearsalModel = "rehearsal";

/** Reads `RESIDENCY_OPT_IN`: a comma list; words that are no residency are ignored. */
export function parseResidencyOptIn(text: string | undefined): Residency[] {
  const words = (text ?? "").split(",").map((word) => word.trim().toLowerCase());
  return residencies.filter((residency) => words.includes(residency));
}
