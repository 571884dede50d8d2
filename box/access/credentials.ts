// Whatever this box accepts as a credential, and where it mints more.

import { join } from "node:path";
import type { LookupAnswer } from "../../contract/internal/boxes.ts";
import type { BoxConfig } from "../config.ts";
import type { Log } from "../ops/log.ts";
import { Access } from "./access.ts";
import { digestOf, type Authority } from "./caller.ts";
import { KeyFile } from "./key-file.ts";
import { MintedTokens } from "./minted-tokens.ts";
import { noMinting, portalMinting, tokenTtl, type Minting } from "./minting.ts";
import { PortalKeys } from "./portal-keys.ts";
import { StaticKeys } from "./static-keys.ts";

export interface CredentialsOptions {
  config: Pick<BoxConfig, "staticKeys" | "keysTablePath" | "portal" | "stateDir">;
  log: Log;
  /** Asks the portal who a digest belongs to; null for a box alone. */
  ask: ((digest: string) => Promise<LookupAnswer["credential"]>) | null;
  /** What stands on these digests has to end. */
  onRevoked(digests: ReadonlySet<string>): void;
}

export interface Credentials {
  access: Access;
  /** The portal says that these are revoked. */
  revoke(digests: readonly string[]): void;
  close(): Promise<void>;
}

/** Rejects with ConfigError when the key table cannot be used. */
export async function openCredentials({
  config,
  log,
  ask,
  onRevoked,
}: CredentialsOptions): Promise<Credentials> {
  const { staticKeys, keysTablePath, portal, stateDir } = config;
  let minted: MintedTokens | null = null;
  const table = keysTablePath
    ? await KeyFile.open({
        path: keysTablePath,
        log,
        onRemoved: (digests) => {
          const keys = new Set(digests);
          onRevoked(new Set([...keys, ...(minted?.revokeOf(keys) ?? [])]));
        },
      })
    : null;
  const ownDigests = new Set(staticKeys.map((key) => digestOf(key)));
  const isOwn = (digest: string) => ownDigests.has(digest) || (table?.knows(digest) ?? false);
  // A box whose keys are all in its environment has nothing to write tokens to.
  if (table || portal)
    minted = await MintedTokens.open({ dir: join(stateDir, "minted-tokens"), log, knowsParent: isOwn });
  const portalKeys = ask && new PortalKeys({ ask });

  const authorities: Authority[] = [];
  if (staticKeys.length > 0) authorities.push(new StaticKeys(staticKeys));
  if (table) authorities.push(table);
  if (minted) authorities.push(minted);
  if (portalKeys) authorities.push(portalKeys);

  const elsewhere = portal ? portalMinting(portal.url) : noMinting;
  const minting: Minting = {
    mint: (request) =>
      minted && isOwn(request.caller.digest)
        ? minted.mint(request.caller, tokenTtl(request.ttlSeconds))
        : elsewhere.mint(request),
  };
  return {
    access: new Access(authorities, minting),
    revoke(digests) {
      portalKeys?.revoke(digests);
      onRevoked(new Set(digests));
    },
    async close() {
      await Promise.all([table?.close(), minted?.close()]);
    },
  };
}
