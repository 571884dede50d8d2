// Who is asking.

import { createHash } from "node:crypto";
import type { Scope } from "../../contract/credentials.ts";

export interface Caller {
  /** What the credential resolves to: an e-mail address, or a name of the box's own making. */
  account: string;
  scope: Scope;
  kind: "open" | "static" | "key" | "token" | "session";
  /** SHA-256 of the secret, hex; empty on an open box. */
  digest: string;
  /** Holds a key of the box itself, or the box is open. */
  operator: boolean;
  /** Epoch seconds. */
  expires_at: number | null;
}

/** Everybody, on a box with no keys. */
export const openCaller: Caller = {
  account: "open",
  scope: "full",
  kind: "open",
  digest: "",
  operator: true,
  expires_at: null,
};

/** SHA-256 of a secret, hex: the only form in which one is kept or sent. */
export function digestOf(secret: string): string {
  return createHash("sha256").update(secret).digest("hex");
}

/** Knows some of the credentials that this box accepts. */
export interface Authority {
  /** Null when it does not know the secret, or knows it as revoked or expired. Throws Refusal `credential_unverified`. */
  lookup(secret: string): Promise<Caller | null>;
  /** Whether a credential it knew by this digest has been revoked. Left out where none ever is. */
  isRevoked?(digest: string): boolean;
}
