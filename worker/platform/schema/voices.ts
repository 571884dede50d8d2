// The voice vault and the built-in voices. Times are epoch seconds; digests are SHA-256 in hex.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { VoiceRow } from "../../../contract/voices.ts";

/** Provider keys, sealed. */
export const voiceKeys = sqliteTable(
  "voice_keys",
  {
    account: text().notNull(),
    provider: text({ enum: ["cartesia", "elevenlabs"] }).notNull(),
    sealed: text().notNull(),
    last4: text().notNull(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
    validated: integer({ mode: "boolean" }),
    validatedAt: integer("validated_at"),
  },
  (table) => [primaryKey({ columns: [table.account, table.provider] })],
);

/** The voice new sessions of an account start with. */
export const voiceDefaults = sqliteTable("voice_defaults", {
  account: text().primaryKey(),
  engine: text({ enum: ["local", "cartesia", "elevenlabs"] }).notNull(),
  voiceId: text("voice_id").notNull(),
  displayName: text("display_name").notNull(),
});

/** Voices of the built-in engine, as the last box told of them, and which have a sample in storage. */
export const builtinVoices = sqliteTable("builtin_voices", {
  id: text().primaryKey(),
  row: text({ mode: "json" }).$type<Omit<VoiceRow, "preview">>().notNull(),
  sampled: integer({ mode: "boolean" }).notNull().default(false),
  updatedAt: integer("updated_at").notNull(),
});

/** Custom previews of the last minute, to count them. */
export const previewCalls = sqliteTable(
  "preview_calls",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    account: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [index("preview_calls_by_account").on(table.account, table.at)],
);
