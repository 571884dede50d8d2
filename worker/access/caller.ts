import type { Scope } from "../../contract/credentials.ts";

/** Who is asking, once a credential has been checked. */
export interface Caller {
  /** Lower-case e-mail address: the partition of everything the caller owns. */
  account: string;
  /** `cookie` and `identity` are a signed-in person; the others are credentials of the box plane. */
  kind: "cookie" | "identity" | "key" | "token" | "session";
  scope: Scope;
  admin: boolean;
  /** Digest of the cookie or credential; null for an identity token. */
  digest: string | null;
  expiresAt: number | null;
}
