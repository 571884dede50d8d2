// The avatar library, its archive and its erasures. Times are epoch seconds; digests are SHA-256 in hex.

import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import type { z } from "zod";
import type { BuildReport } from "../../../contract/avatars.ts";
import type { cropSchema } from "../../../contract/library.ts";
import { tones } from "../../../contract/tones.ts";

/** The avatar library: what boxes reported of each account's avatars. */
export const avatars = sqliteTable(
  "avatars",
  {
    account: text().notNull(),
    avatarId: text("avatar_id").notNull(),
    name: text(),
    sourceKind: text("source_kind", { enum: ["photo", "image", "video", "unknown"] }).notNull(),
    state: text({ enum: ["preparing", "ready", "failed"] }).notNull(),
    detail: text().notNull(),
    preparedInRegion: text("prepared_in_region").notNull(),
    weightsVolume: text("weights_volume").notNull(),
    visibility: text({ enum: ["private", "public"] })
      .notNull()
      .default("private"),
    /** Folder of its archive: a new one for an avatar that is made again under an erased one's id. */
    archiveId: text("archive_id").notNull().default(""),
    sourceFilename: text("source_filename"),
    sourceSha256: text("source_sha256"),
    framing: text({ mode: "json" }).$type<z.infer<typeof cropSchema>>(),
    consentId: text("consent_id"),
    build: text({ mode: "json" }).$type<BuildReport>(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.avatarId] })],
);

/** The shared partition: an avatar is listed here exactly while it is published. */
export const publicAvatars = sqliteTable(
  "public_avatars",
  {
    avatarId: text("avatar_id").notNull(),
    account: text().notNull(),
    publishedAt: integer("published_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.avatarId, table.account] })],
);

/** Files of an avatar's archive; one counts once `storedAt` is set. */
export const avatarFiles = sqliteTable(
  "avatar_files",
  {
    account: text().notNull(),
    avatarId: text("avatar_id").notNull(),
    filename: text().notNull(),
    role: text({ enum: ["source", "still", "clip"] }).notNull(),
    tone: text({ enum: tones }),
    contentType: text("content_type").notNull(),
    size: integer().notNull(),
    sha256: text().notNull(),
    storedAt: integer("stored_at"),
  },
  (table) => [primaryKey({ columns: [table.account, table.avatarId, table.filename] })],
);

/** The clip of each tone that a box was asked for. */
export const clips = sqliteTable(
  "clips",
  {
    account: text().notNull(),
    avatarId: text("avatar_id").notNull(),
    tone: text({ enum: tones }).notNull(),
    state: text({ enum: ["generated", "generating", "failed", "not_requested"] }).notNull(),
    variantId: text("variant_id").notNull(),
    durationS: real("duration_s"),
    detail: text().notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.avatarId, table.tone] })],
);

/** Erased avatars, and what of each is still to go. */
export const erasures = sqliteTable(
  "erasures",
  {
    id: text().primaryKey(),
    account: text().notNull(),
    avatarId: text("avatar_id").notNull(),
    weightsVolume: text("weights_volume").notNull(),
    erasedAt: integer("erased_at").notNull(),
    registryPending: integer("registry_pending", { mode: "boolean" }).notNull(),
    listingPending: integer("listing_pending", { mode: "boolean" }).notNull(),
    mediaPending: integer("media_pending", { mode: "boolean" }).notNull(),
    preparedPending: integer("prepared_pending", { mode: "boolean" }).notNull(),
  },
  (table) => [
    index("erasures_by_avatar").on(table.account, table.avatarId),
    index("erasures_by_volume").on(table.weightsVolume, table.preparedPending),
  ],
);
