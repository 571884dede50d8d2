// Short-lived credentials: what a signed-in browser and a full key may mint.

import { limits } from "../../contract/limits.ts";
import type { Caller } from "../access/caller.ts";
import { failures } from "../access/policy.ts";
import { nowSeconds } from "../platform/clock.ts";
import { sha256Hex } from "../platform/digest.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { newCredentialSecret } from "../platform/ids.ts";
import { insertMinted } from "./store.ts";

export interface Minted {
  secret: string;
  expiresAt: number;
}

type MintedKind = "session" | "token";

async function mint(
  db: D1Database,
  caller: Caller,
  kind: MintedKind,
  expiresAt: number,
): Promise<Outcome<Minted>> {
  const secret = newCredentialSecret(kind);
  try {
    const inserted = await insertMinted(db, {
      digest: await sha256Hex(secret),
      kind,
      scope: kind === "session" ? "full" : "tts",
      account: caller.account,
      name: "",
      last4: secret.slice(-4),
      parent: caller.digest,
      createdAt: nowSeconds(),
      expiresAt,
    });
    if (!inserted) return failure(failures.invalid.code, failures.invalid.message);
  } catch (cause) {
    return failure("mint_failed", "The key store could not issue a credential. Try again.", cause);
  }
  return success({ secret, expiresAt });
}

/**
 * The bridge from a signed-in person to a box: full scope, an hour, gone with the portal session that minted it. A portal
 * session that is in use has at least 29 days left, so the credential cannot outlive it otherwise.
 */
export async function mintSessionCredential(db: D1Database, caller: Caller): Promise<Outcome<Minted>> {
  return mint(db, caller, "session", nowSeconds() + limits.sessionCredentialSeconds);
}

/** A stream-only token for a page that must not hold a key; it dies with the key that minted it. */
export async function mintToken(
  db: D1Database,
  caller: Caller,
  ttlSeconds: number | undefined,
): Promise<Outcome<Minted>> {
  const { min, max, default: fallback } = limits.tokenTtlSeconds;
  const ttl = Math.min(max, Math.max(min, Math.floor(ttlSeconds ?? fallback)));
  return mint(db, caller, "token", nowSeconds() + ttl);
}
