import { sha256Hex } from "../platform/digest.ts";
import type { PortalContext } from "../platform/context.ts";

/** A short digest of the caller's account: enough to follow one caller through a log, not enough to name them. */
export async function findAccountDigest(c: PortalContext): Promise<string | undefined> {
  const account = c.var.caller?.account;
  return account === undefined ? undefined : (await sha256Hex(account)).slice(0, 16);
}
