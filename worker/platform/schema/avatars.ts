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
    /** When a box took in what it is made from, by the box's clock; 0 while no box has said. */
    madeAt: integer("made_at").notNull().default(0),
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

/** Weights volumes on which an avatar was prepared. */
export const avatarVolumes = sqliteTable(
  "avatar_volumes",
  {
    account: text().notNull(),
    avatarId: text("avatar_id").notNull(),
    weightsVolume: text("weights_volume").notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.avatarId, table.weightsVolume] })],
);

/** Erased avatars, and what of each is still to go. They stay, so that nothing made before one comes back. */
export const erasures = sqliteTable(
  "erasures",
  {
    id: text().primaryKey(),
    account: text().notNull(),
    avatarId: text("avatar_id").notNull(),
    /** The agreement behind the upload, which leaves the ledger too; null when another avatar still rests on it. */
    consentId: text("consent_id"),
    erasedAt: integer("erased_at").notNull(),
    /** The ledger still holds agreements of it. */
    registryPending: integer("registry_pending", { mode: "boolean" }).notNull(),
  },
  (table) => [
    index("erasures_by_avatar").on(table.account, table.avatarId, table.erasedAt),
    index("erasures_by_registry").on(table.registryPending, table.erasedAt),
  ],
);

/** Weights volumes that an erased avatar must leave, or has left. */
export const erasureVolumes = sqliteTable(
  "erasure_volumes",
  {
    erasureId: text("erasure_id").notNull(),
    weightsVolume: text("weights_volume").notNull(),
    pending: integer({ mode: "boolean" }).notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.erasureId, table.weightsVolume] }),
    index("erasure_volumes_by_volume").on(table.weightsVolume, table.pending),
  ],
);

/** Prefixes of storage that went with an erasure, for as long as a grant to write below one may be open. */
export const erasureMedia = sqliteTable(
  "erasure_media",
  {
    erasureId: text("erasure_id").notNull(),
    prefix: text().notNull(),
    /** When every grant has run out, and it is emptied for the last time. */
    closesAt: integer("closes_at").notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.erasureId, table.prefix] }),
    index("erasure_media_by_close").on(table.closesAt),
  ],
);
