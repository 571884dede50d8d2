// The consent ledger's tables, in a database of their own. Times are epoch seconds.

import { index, integer, sqliteTable, text } from "drizzle-orm/sqlite-core";

/** Who said they may use the likeness in which bytes. */
export const uploadConsents = sqliteTable(
  "upload_consents",
  {
    consentId: text("consent_id").primaryKey(),
    account: text().notNull(),
    sha256: text().notNull(),
    sourceKind: text("source_kind", { enum: ["photo", "image", "video"] }).notNull(),
    attestedAt: integer("attested_at").notNull(),
  },
  (table) => [index("upload_consents_by_account").on(table.account, table.attestedAt)],
);

/** Who agreed to publish which avatar, under which wording. Every agreement stays until its avatar is erased. */
export const publicationConsents = sqliteTable(
  "publication_consents",
  {
    attestationId: text("attestation_id").primaryKey(),
    account: text().notNull(),
    avatarId: text("avatar_id").notNull(),
    /** Which face the avatar had: another one under its id needs an agreement of its own. */
    face: text().notNull(),
    termsVersion: text("terms_version").notNull(),
    termsSha256: text("terms_sha256").notNull(),
    attestedAt: integer("attested_at").notNull(),
    withdrawnAt: integer("withdrawn_at"),
  },
  (table) => [index("publication_consents_by_avatar").on(table.account, table.avatarId, table.attestedAt)],
);
