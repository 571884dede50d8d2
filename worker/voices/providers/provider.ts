// What the portal asks of a voice provider, on the account of the caller whose key it is handed.

import type { ByoEngine, VoiceRow } from "../../../contract/voices.ts";

export interface ProviderAccess {
  /** Where the provider's API answers; ends in a slash. */
  baseUrl: string;
  key: string;
  /** Ends the whole exchange, reading included. */
  signal: AbortSignal;
}

export type ProviderVoice = Omit<VoiceRow, "provider" | "preview">;

export interface SpokenLine {
  voice: string;
  text: string;
  /** ISO 639-1; null lets the provider find out. */
  language: string | null;
}

export interface VoiceProvider {
  readonly id: ByoEngine;
  /** Asks for as little as shows whether the key is one. Throws ProviderFailure. */
  verify(access: ProviderAccess): Promise<void>;
  /** Every voice of the account. Throws ProviderFailure. */
  listVoices(access: ProviderAccess): Promise<ProviderVoice[]>;
  /** A WAV of 16-bit mono PCM. Throws ProviderFailure. */
  speak(access: ProviderAccess, line: SpokenLine): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * - `key`: the provider does not know the key.
 * - `denied`: it knows the key, and the account may not do this: a permission, a quota, a plan.
 * - `busy`: it takes no more requests for now.
 * - `voice`: the account has no such voice.
 * - `timeout`, `unreachable`: no answer, or none that makes sense.
 */
export type ProviderFailureKind = "key" | "denied" | "busy" | "voice" | "timeout" | "unreachable";

/** Never carries the provider's own words: they may repeat the key. */
export class ProviderFailure extends Error {
  override readonly name = "ProviderFailure";
  readonly kind: ProviderFailureKind;

  constructor(kind: ProviderFailureKind, message: string) {
    super(message);
    this.kind = kind;
  }
}
