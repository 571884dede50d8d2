// The consent ledger's tables: who may use which likeness, and who agreed to publish which avatar.

import { and, desc, eq, sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/d1";
import { publicationConsents, uploadConsents } from "../platform/schema/ledger.ts";
import { prepare } from "../platform/statement.ts";

export type UploadConsentRow = typeof uploadConsents.$inferSelect;
export type PublicationConsentRow = typeof publicationConsents.$inferSelect;

export interface AvatarKey {
  account: string;
  avatarId: string;
}

export interface FaceKey extends AvatarKey {
  /** What tells the avatar's face from an earlier or later one under its id. */
  face: string;
}

export async function insertUploadConsent(ledger: D1Database, row: UploadConsentRow): Promise<void> {
  await drizzle(ledger).insert(uploadConsents).values(row);
}

/** Newest first. */
export async function listUploadConsents(ledger: D1Database, account: string): Promise<UploadConsentRow[]> {
  return drizzle(ledger)
    .select()
    .from(uploadConsents)
    .where(eq(uploadConsents.account, account))
    .orderBy(desc(uploadConsents.attestedAt), uploadConsents.consentId);
}

export async function hasUploadConsent(
  ledger: D1Database,
  { account, consentId, sha256 }: { account: string; consentId: string; sha256: string },
): Promise<boolean> {
  const row = await drizzle(ledger)
    .select({ consentId: uploadConsents.consentId })
    .from(uploadConsents)
    .where(
      and(
        eq(uploadConsents.consentId, consentId),
        eq(uploadConsents.account, account),
        eq(uploadConsents.sha256, sha256),
      ),
    )
    .get();
  return row !== undefined;
}

export async function insertPublicationConsent(
  ledger: D1Database,
  row: PublicationConsentRow,
): Promise<void> {
  await drizzle(ledger).insert(publicationConsents).values(row);
}

export async function deletePublicationConsent(ledger: D1Database, attestationId: string): Promise<void> {
  await drizzle(ledger)
    .delete(publicationConsents)
    .where(eq(publicationConsents.attestationId, attestationId));
}

/** Whether an agreement to publish this face of the avatar stands, under whichever wording it was given. */
export async function hasStandingAgreement(
  ledger: D1Database,
  { account, avatarId, face }: FaceKey,
): Promise<boolean> {
  const row = await drizzle(ledger)
    .select({ id: publicationConsents.attestationId })
    .from(publicationConsents)
    .where(
      sql`${publicationConsents.account} = ${account} AND ${publicationConsents.avatarId} = ${avatarId}
        AND ${publicationConsents.face} = ${face} AND ${publicationConsents.withdrawnAt} IS NULL`,
    )
    .limit(1)
    .get();
  return row !== undefined;
}

/** Withdraws every standing agreement of the avatar. Answers the newest one; undefined when there never was any. */
export async function withdrawAgreements(
  ledger: D1Database,
  { account, avatarId }: AvatarKey,
  at: number,
): Promise<PublicationConsentRow | undefined> {
  const own = sql`account = ${account} AND avatar_id = ${avatarId}`;
  await drizzle(ledger).run(
    sql`UPDATE ${publicationConsents} SET withdrawn_at = ${at} WHERE ${own} AND withdrawn_at IS NULL`,
  );
  return drizzle(ledger)
    .select()
    .from(publicationConsents)
    .where(own)
    .orderBy(sql`attested_at DESC, rowid DESC`)
    .limit(1)
    .get();
}

/** Of the given avatars, those for whose face no agreement stands. */
export async function listWithoutAgreement<Key extends FaceKey>(
  ledger: D1Database,
  keys: readonly Key[],
): Promise<Key[]> {
  // One parameter for all of them: D1 takes at most 100 a statement.
  const asked = JSON.stringify(keys.map(({ account, avatarId, face }) => [account, avatarId, face]));
  const rows = await drizzle(ledger).all<{ at: number }>(sql`
    SELECT asked.key AS at FROM json_each(${asked}) AS asked WHERE NOT EXISTS (
      SELECT 1 FROM ${publicationConsents} WHERE account = json_extract(asked.value, '$[0]')
        AND avatar_id = json_extract(asked.value, '$[1]') AND face = json_extract(asked.value, '$[2]')
        AND withdrawn_at IS NULL)`);
  return rows.flatMap(({ at }) => keys[at] ?? []);
}

export interface ConsentErasure extends AvatarKey {
  /** The agreement that came with the upload; null when the avatar had none, or shares it with another. */
  consentId: string | null;
  /** When the avatar was erased, in epoch seconds: agreements made later are about another one under its id. */
  until: number;
}

/** Takes what was agreed about an erased avatar out of the ledger, in one batch. */
export async function deleteConsents(
  ledger: D1Database,
  { account, avatarId, consentId, until }: ConsentErasure,
): Promise<void> {
  await ledger.batch([
    prepare(
      ledger,
      sql`DELETE FROM ${publicationConsents}
        WHERE account = ${account} AND avatar_id = ${avatarId} AND attested_at <= ${until}`,
    ),
    prepare(
      ledger,
      sql`DELETE FROM ${uploadConsents} WHERE account = ${account} AND consent_id = ${consentId}`,
    ),
  ]);
}
