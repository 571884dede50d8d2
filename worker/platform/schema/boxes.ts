// The box registry. Times are epoch seconds; digests are SHA-256 in hex.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Boxes as their last heartbeat left them, and who holds each. */
export const boxes = sqliteTable(
  "boxes",
  {
    boxId: text("box_id").primaryKey(),
    publicUrl: text("public_url").notNull(),
    region: text().notNull(),
    state: text({ enum: ["free", "busy", "draining"] }).notNull(),
    room: text(),
    capacity: integer().notNull(),
    avatarsWarm: text("avatars_warm", { mode: "json" }).$type<string[]>().notNull(),
    buildKnown: integer("build_known", { mode: "boolean" }).notNull(),
    buildShortCommit: text("build_short_commit").notNull(),
    sessionId: text("session_id"),
    heartbeatAt: integer("heartbeat_at").notNull(),
    drained: integer({ mode: "boolean" }).notNull().default(false),
    /** Holder, kept after the lease has run out so that the account finds its last box again. */
    leaseAccount: text("lease_account"),
    leaseExpiresAt: integer("lease_expires_at"),
    /** The session that confirmed the lease; null while a box is awaited to report one. */
    leaseSession: text("lease_session"),
    /** How many openings rest on the lease: one that is refused may give back only what it alone took. */
    leaseOpenings: integer("lease_openings").notNull().default(0),
  },
  (table) => [index("boxes_by_lease").on(table.leaseAccount)],
);

/** Boxes the lifecycle driver was told to start, and the digest of the secret each was given. */
export const boxLaunches = sqliteTable(
  "box_launches",
  {
    boxId: text("box_id").primaryKey(),
    region: text().notNull(),
    secretDigest: text("secret_digest").notNull(),
    startedBy: text("started_by").notNull(),
    startedAt: integer("started_at").notNull(),
    stoppedAt: integer("stopped_at"),
  },
  (table) => [index("box_launches_by_secret").on(table.secretDigest)],
);
