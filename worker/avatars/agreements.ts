import { sql } from "drizzle-orm";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { publicationConsents, uploadConsents } from "../platform/schema/ledger.ts";
import { prepare } from "../platform/statement.ts";

export async function hasAgreedToPublish(
  ledger: D1Database,
  account: string,
  avatarId: string,
): Promise<Outcome<boolean>> {
  try {
    const row = await prepare(
      ledger,
      sql`SELECT 1 AS one FROM ${publicationConsents} WHERE account = ${account} AND avatar_id = ${avatarId} AND withdrawn_at IS NULL`,
    ).first();
    return success(row !== null);
  } catch (cause) {
    return failure("publication_consent_unavailable", "no", cause);
  }
}

export async function eraseConsents(
  ledger: D1Database,
  {
    account,
    avatarId,
    consentId,
    until,
  }: { account: string; avatarId: string; consentId: string | null; until: number },
): Promise<void> {
  await ledger.batch([
    prepare(
      ledger,
      sql`DELETE FROM ${publicationConsents} WHERE account = ${account} AND avatar_id = ${avatarId} AND attested_at <= ${until}`,
    ),
    prepare(
      ledger,
      sql`DELETE FROM ${uploadConsents} WHERE account = ${account} AND consent_id = ${consentId}`,
    ),
  ]);
}
