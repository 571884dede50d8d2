// Every table of the portal. Times are epoch seconds; digests are SHA-256 in hex.

import { index, integer, primaryKey, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** API keys, stream-only tokens and session credentials: one table, since a box asks for all three by digest. */
export const credentials = sqliteTable(
  "credentials",
  {
    digest: text().primaryKey(),
    kind: text({ enum: ["key", "token", "session"] }).notNull(),
    scope: text({ enum: ["full", "tts"] }).notNull(),
    account: text().notNull(),
    name: text().notNull(),
    last4: text().notNull(),
    /** Digest of the portal session or key that minted it; it dies with its parent. */
    parent: text(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at"),
    revokedAt: integer("revoked_at"),
    revokedBy: text("revoked_by"),
  },
  (table) => [
    index("credentials_by_account").on(table.account, table.kind, table.createdAt),
    index("credentials_by_parent").on(table.parent),
    index("credentials_by_expiry").on(table.expiresAt),
  ],
);

/** Every revocation under a growing number, so that a box asks only for those it has not heard of. */
export const revocations = sqliteTable("revocations", {
  number: integer().primaryKey({ autoIncrement: true }),
  digest: text().notNull(),
  revokedAt: integer("revoked_at").notNull(),
});

/** Signed-in browsers, by the digest of their cookie. */
export const portalSessions = sqliteTable(
  "portal_sessions",
  {
    digest: text().primaryKey(),
    account: text().notNull(),
    createdAt: integer("created_at").notNull(),
    expiresAt: integer("expires_at").notNull(),
  },
  (table) => [index("portal_sessions_by_expiry").on(table.expiresAt)],
);

/** Sign-in links that are still unused, by the digest of their token. */
export const signinLinks = sqliteTable("signin_links", {
  digest: text().primaryKey(),
  account: text().notNull(),
  expiresAt: integer("expires_at").notNull(),
});

/** Links sent lately, counted per address and per client; both are digests. */
export const signinRequests = sqliteTable(
  "signin_requests",
  {
    id: integer().primaryKey({ autoIncrement: true }),
    address: text().notNull(),
    client: text().notNull(),
    at: integer().notNull(),
  },
  (table) => [
    index("signin_requests_by_address").on(table.address, table.at),
    index("signin_requests_by_client").on(table.client, table.at),
  ],
);

/** Mail of a local portal, which nothing delivers. */
export const outbox = sqliteTable("outbox", {
  id: integer().primaryKey({ autoIncrement: true }),
  recipient: text().notNull(),
  subject: text().notNull(),
  body: text().notNull(),
  link: text(),
  sentAt: integer("sent_at").notNull(),
});

/** One settings record an account: a JSON object that holds only what was saved. */
export const settings = sqliteTable("settings", {
  account: text().primaryKey(),
  record: text().notNull(),
  updatedAt: integer("updated_at").notNull(),
});

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
  },
  (table) => [index("boxes_by_lease").on(table.leaseAccount)],
);

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
    createdAt: integer("created_at").notNull(),
    updatedAt: integer("updated_at").notNull(),
  },
  (table) => [primaryKey({ columns: [table.account, table.avatarId] })],
);

/** Live sessions as boxes reported them. */
export const sessions = sqliteTable(
  "sessions",
  {
    id: text().primaryKey(),
    account: text().notNull(),
    boxId: text("box_id").notNull(),
    kind: text({ enum: ["studio", "api", "room"] }).notNull(),
    avatarId: text("avatar_id").notNull(),
    startedAt: integer("started_at").notNull(),
    endedAt: integer("ended_at"),
    endReason: text("end_reason", {
      enum: ["disconnected", "replaced", "idle", "max_length", "persona", "box_shutdown", "lost"],
    }),
    turns: integer().notNull(),
  },
  (table) => [index("sessions_by_account").on(table.account, table.startedAt)],
);
