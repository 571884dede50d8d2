// Settings, and what is known of the models. Times are epoch seconds; digests are SHA-256 in hex.

import { integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** One settings record an account: a JSON object that holds only what was saved. */
export const settings = sqliteTable("settings", {
  account: text().primaryKey(),
  record: text().notNull(),
  updatedAt: integer("updated_at").notNull(),
});

/** What a probed model was found to accept; what could not be measured yet is absent. */
export interface MeasuredFlags {
  supports_sampling?: boolean;
  supports_effort?: boolean;
  effort_max?: boolean;
  reasoning?: "adaptive" | "always" | "budget" | "none";
  forced_tool_choice_supported?: boolean;
}

/** Whether each hosted model answers, when it was last asked, and what it was found to accept. */
export const modelProbes = sqliteTable("model_probes", {
  model: text().primaryKey(),
  state: text({ enum: ["ready", "enabling", "unavailable"] }).notNull(),
  reason: text().notNull(),
  probedAt: integer("probed_at").notNull(),
  flags: text({ mode: "json" }).$type<MeasuredFlags>(),
  /** When every flag was measured; null while one is still missing. */
  measuredAt: integer("measured_at"),
});
