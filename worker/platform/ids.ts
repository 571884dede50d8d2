// Secrets and identifiers, all from the platform's cryptographic random source.

import { credentialPrefix, type CredentialKind } from "../../contract/credentials.ts";

const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
const secretBytes = 32;
/** Digits that hold 256 bits in base 62: ceil(256 / log2(62)). */
const secretDigits = 43;

/** 32 random bytes as one number in base 62, padded to 43 digits. */
export function randomSecret(): string {
  let value = 0n;
  for (const byte of crypto.getRandomValues(new Uint8Array(secretBytes)))
    value = (value << 8n) | BigInt(byte);
  let text = "";
  for (let i = 0; i < secretDigits; i++) {
    text = alphabet.charAt(Number(value % 62n)) + text;
    value /= 62n;
  }
  return text;
}

/** A new credential in the clear; only its digest may be kept. */
export function newCredentialSecret(kind: CredentialKind): string {
  return credentialPrefix[kind] + randomSecret();
}

export function newId(): string {
  return crypto.randomUUID();
}
