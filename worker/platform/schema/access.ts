// Credentials, portal sessions and sign-in. Times are epoch seconds; digests are SHA-256 in hex.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

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
