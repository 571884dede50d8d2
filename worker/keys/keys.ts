// API keys: made once in the clear, kept as digests, revoked but never forgotten.

import { credentialPrefix, type KeyRecord } from "../../contract/credentials.ts";
import { limits } from "../../contract/limits.ts";
import { nowSeconds } from "../platform/clock.ts";
import { sha256Hex } from "../platform/digest.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { newCredentialSecret } from "../platform/ids.ts";
import { insertKeyWithin, keyExists, listKeys, revokeKey, type CredentialRow } from "./store.ts";

type KeyFacts = Pick<
  CredentialRow,
  "digest" | "name" | "last4" | "account" | "createdAt" | "revokedAt" | "revokedBy"
>;

function keyRecord(row: KeyFacts): KeyRecord {
  return {
    id: row.digest,
    name: row.name,
    hint: `${credentialPrefix.key}…${row.last4}`,
    last4: row.last4,
    created_at: row.createdAt,
    created_by: row.account,
    revoked: row.revokedAt !== null,
    revoked_at: row.revokedAt,
    revoked_by: row.revokedBy,
  };
}

export async function readKeys(db: D1Database, account: string): Promise<KeyRecord[]> {
  return (await listKeys(db, account)).map(keyRecord);
}

/** Makes a key; its secret is in this answer and nowhere else, ever. */
export async function createKey(
  db: D1Database,
  account: string,
  name: string,
): Promise<Outcome<KeyRecord & { secret: string }>> {
  const secret = newCredentialSecret("key");
  const key = {
    digest: await sha256Hex(secret),
    kind: "key" as const,
    scope: "full" as const,
    account,
    name,
    last4: secret.slice(-4),
    createdAt: nowSeconds(),
    revokedAt: null,
    revokedBy: null,
  };
  if (!(await insertKeyWithin(db, key, limits.keysPerAccount))) {
    return failure(
      "key_limit_reached",
      `You hold ${limits.keysPerAccount} keys, which is the most an account may have. Revoked keys count too.`,
    );
  }
  return success({ ...keyRecord(key), secret });
}

/** Revokes a key of the account. Again is fine; a key of somebody else is no key at all. */
export async function deleteKey(db: D1Database, account: string, digest: string): Promise<Outcome<null>> {
  if (!(await keyExists(db, account, digest))) return failure("key_not_found", "You have no such key.");
  await revokeKey(db, { digest, account, by: account, at: nowSeconds() });
  return success(null);
}
