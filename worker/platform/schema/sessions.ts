// Session history and usage. Times are epoch seconds; digests are SHA-256 in hex.

import { sql } from "drizzle-orm";
import { index, integer, primaryKey, real, sqliteTable, text } from "drizzle-orm/sqlite-core";
import { tones } from "../../../contract/tones.ts";

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
    model: text().notNull().default(""),
    voice: text().notNull().default(""),
    persona: text().notNull().default(""),
    title: text().notNull().default(""),
    notes: text().notNull().default(""),
    tags: text({ mode: "json" }).$type<string[]>().notNull().default([]),
    starred: integer({ mode: "boolean" }).notNull().default(false),
  },
  (table) => [
    index("sessions_by_account").on(table.account, table.startedAt, table.id),
    index("sessions_by_avatar").on(table.account, table.avatarId),
    // Of all sessions ever held, only those still live may have been lost.
    index("sessions_live")
      .on(table.startedAt)
      .where(sql`ended_at IS NULL`),
  ],
);

/** What was said in a session, line by line. */
export const transcriptLines = sqliteTable(
  "transcript_lines",
  {
    sessionId: text("session_id").notNull(),
    number: integer().notNull(),
    role: text({ enum: ["user", "assistant"] }).notNull(),
    content: text().notNull(),
    tone: text({ enum: tones }),
    at: integer().notNull(),
  },
  (table) => [
    primaryKey({ columns: [table.sessionId, table.number] }),
    // A row's title and its turns come from what the user said.
    index("transcript_lines_of_users")
      .on(table.sessionId, table.number)
      .where(sql`role = 'user'`),
  ],
);

/** Recordings in storage and the agreement behind each; one counts once `storedAt` is set. */
export const recordings = sqliteTable(
  "recordings",
  {
    sessionId: text("session_id").primaryKey(),
    account: text().notNull(),
    contentType: text("content_type").notNull(),
    size: integer().notNull(),
    sha256: text().notNull(),
    termsVersion: text("terms_version").notNull(),
    termsDigest: text("terms_digest").notNull(),
    agreedAt: integer("agreed_at").notNull(),
    grantedAt: integer("granted_at").notNull(),
    storedAt: integer("stored_at"),
  },
  (table) => [
    index("recordings_awaited")
      .on(table.grantedAt)
      .where(sql`stored_at IS NULL`),
  ],
);

/** Sessions erased lately, so that a late report or a late PUT brings nothing back. */
export const erasedSessions = sqliteTable("erased_sessions", {
  sessionId: text("session_id").primaryKey(),
  account: text().notNull(),
  erasedAt: integer("erased_at").notNull(),
  /** When the last PUT into its folder must have ended; null when there was none to come. */
  sweepAt: integer("sweep_at"),
});

/** What sessions and metered calls cost, as boxes reported it. */
export const usage = sqliteTable(
  "usage",
  {
    id: text().primaryKey(),
    account: text().notNull(),
    boxId: text("box_id").notNull(),
    sessionId: text("session_id"),
    kind: text({ enum: ["session", "room", "clip", "preview"] }).notNull(),
    seconds: real().notNull(),
    turns: integer().notNull(),
    at: integer().notNull(),
    labels: text({ mode: "json" }).$type<Record<string, string>>().notNull(),
  },
  (table) => [
    index("usage_by_account").on(table.account, table.at),
    index("usage_by_session").on(table.sessionId),
  ],
);
