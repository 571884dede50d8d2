// Uploads, generated pictures, and what must leave storage. Times are epoch seconds; digests are SHA-256 in hex.

import { sql } from "drizzle-orm";
import { index, integer, real, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Prefixes of storage that must be emptied; the clean-up goes on with whatever is left. */
export const mediaRemovals = sqliteTable("media_removals", {
  prefix: text().primaryKey(),
  since: integer().notNull(),
});

export interface UploadFileRow {
  field: string;
  filename: string;
  contentType: string;
  size: number;
}

/** Granted uploads. */
export const uploads = sqliteTable(
  "uploads",
  {
    id: text().primaryKey(),
    account: text().notNull(),
    files: text({ mode: "json" }).$type<UploadFileRow[]>().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
    claimedAt: integer("claimed_at"),
  },
  (table) => [
    index("uploads_by_expiry").on(table.expiresAt),
    index("uploads_by_account").on(table.account, table.expiresAt),
  ],
);

/** Generated portraits; the bytes of one never change. */
export const portraits = sqliteTable(
  "portraits",
  {
    id: text().primaryKey(),
    account: text().notNull(),
    persona: text().notNull(),
    attempt: integer().notNull(),
    parentId: text("parent_id"),
    /** Empty while it is still being drawn: nobody sees it before, yet it counts. */
    sha256: text().notNull(),
    createdAt: integer("created_at").notNull(),
    approvedAt: integer("approved_at"),
  },
  (table) => [
    index("portraits_by_account").on(table.account, table.createdAt),
    index("portraits_unapproved")
      .on(table.createdAt)
      .where(sql`approved_at IS NULL`),
  ],
);

/** Seated-still jobs of the last day. */
export const stillJobs = sqliteTable(
  "still_jobs",
  {
    id: text().primaryKey(),
    account: text().notNull(),
    state: text({ enum: ["pending", "running", "done", "failed"] }).notNull(),
    uploadId: text("upload_id").notNull(),
    note: text(),
    look: text({ mode: "json" }).$type<Record<string, string>>(),
    /** The portal's address when the job was asked for, where a local bucket's URLs lead. */
    portalOrigin: text("portal_origin").notNull(),
    /** How often the job was begun: a Worker that dies leaves it to be begun again. */
    tries: integer().notNull().default(0),
    identityChecked: integer("identity_checked", { mode: "boolean" }).notNull().default(false),
    identityScore: real("identity_score"),
    error: text({ enum: ["not_the_same_person", "bad_request", "generation_failed"] }),
    message: text(),
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [
    index("still_jobs_by_age").on(table.createdAt),
    index("still_jobs_by_account").on(table.account, table.createdAt),
  ],
);
