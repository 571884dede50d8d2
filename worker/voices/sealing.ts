// Provider keys at rest: AES-256-GCM (NIST SP 800-38D), bound to the account and provider they were sealed for.

import type { ByoEngine } from "../../contract/voices.ts";
import { hexOf } from "../platform/digest.ts";
import type { VaultKeys } from "../platform/env.ts";

const version = "v1";
/** 96 random bits, as SP 800-38D section 8.2.2 wants them; far from its 2^32 messages a key. */
const nonceBytes = 12;
/** How much of a vault key's SHA-256 names it: enough to tell two apart, too little to help anyone guess 256 bits. */
const keyIdBytes = 4;

/** Whom a key belongs to. Sealed for one, it opens for no other. */
export interface KeyOwner {
  account: string;
  provider: ByoEngine;
}

interface VaultKey {
  id: string;
  key: CryptoKey;
}

const prepared = new WeakMap<Uint8Array, Promise<VaultKey>>();

function fromHex(text: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(text.match(/../g) ?? [], (pair) => Number.parseInt(pair, 16));
}

async function prepareKey(raw: Uint8Array<ArrayBuffer>): Promise<VaultKey> {
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", raw));
  const key = await crypto.subtle.importKey("raw", raw, "AES-GCM", false, ["encrypt", "decrypt"]);
  return { id: hexOf(digest.subarray(0, keyIdBytes)), key };
}

function vaultKeyOf(raw: Uint8Array<ArrayBuffer>): Promise<VaultKey> {
  const known = prepared.get(raw);
  if (known) return known;
  const made = prepareKey(raw);
  prepared.set(raw, made);
  return made;
}

function parameters(nonce: Uint8Array<ArrayBuffer>, { account, provider }: KeyOwner) {
  const additionalData = new TextEncoder().encode(JSON.stringify([version, account, provider]));
  return { name: "AES-GCM", iv: nonce, additionalData };
}

/** What every text begins with that the given vault key sealed. */
export async function sealPrefix(raw: Uint8Array<ArrayBuffer>): Promise<string> {
  return `${version}.${(await vaultKeyOf(raw)).id}.`;
}

/** Seals under the current key, as `v1.<key id>.<nonce>.<ciphertext and tag>`, the last three in lower-case hex. */
export async function seal(keys: VaultKeys, owner: KeyOwner, plain: string): Promise<string> {
  const { id, key } = await vaultKeyOf(keys.current);
  const nonce = crypto.getRandomValues(new Uint8Array(nonceBytes));
  const sealed = await crypto.subtle.encrypt(parameters(nonce, owner), key, new TextEncoder().encode(plain));
  return [version, id, hexOf(nonce), hexOf(new Uint8Array(sealed))].join(".");
}

export interface Opened {
  plain: string;
  /** It was sealed under the key that the current one replaced. */
  stale: boolean;
}

/** The opposite of `seal`; null for a text that was changed, moved to another owner, or sealed under an unknown key. */
export async function open(keys: VaultKeys, owner: KeyOwner, sealed: string): Promise<Opened | null> {
  const match = /^v1\.([0-9a-f]{8})\.([0-9a-f]{24})\.((?:[0-9a-f]{2})+)$/.exec(sealed);
  const [, id, nonce, ciphertext] = match ?? [];
  if (id === undefined || nonce === undefined || ciphertext === undefined) return null;
  for (const raw of [keys.current, keys.previous]) {
    if (!raw) continue;
    const candidate = await vaultKeyOf(raw);
    if (candidate.id !== id) continue;
    try {
      const bytes = await crypto.subtle.decrypt(
        parameters(fromHex(nonce), owner),
        candidate.key,
        fromHex(ciphertext),
      );
      return { plain: new TextDecoder().decode(bytes), stale: raw !== keys.current };
    } catch {
      // The tag does not fit.
    }
  }
  return null;
}
