// What the box asks of a provider's voices, on whose account ever.

import type { ByoEngine } from "../../../contract/voices.ts";
import type { Language, Tone } from "../../../contract/tones.ts";
import type { ListedVoice, Pcm } from "../voice.ts";

export interface HostedRequest {
  key: string;
  text: string;
  voice: string;
  tone: Tone;
  /** What the words are in; null lets the provider find out. */
  language: Language | null;
  signal: AbortSignal;
}

export interface HostedEngine {
  readonly id: ByoEngine;
  readonly label: string;
  /** Whether a voice id could be one of this provider's. */
  looksLike(voice: string): boolean;
  /** Every voice of the account. Rejects with VoiceFailure. */
  listVoices(key: string, signal: AbortSignal): Promise<ListedVoice[]>;
  /** Speech as it is made. Throws VoiceFailure; an abort ends it early, without one. */
  speak(request: HostedRequest): AsyncIterable<Pcm>;
  /** Opens what speaking needs, ahead of the first clause. Rejects with VoiceFailure. */
  warm(key: string): Promise<void>;
  close(): Promise<void>;
}

/** The rate that every plan of every provider may ask for. */
export const hostedSampleRate = 24_000;

/** Names and descriptions are the provider's; a list stays a list, however much it has to say. */
export function listed(voice: ListedVoice): ListedVoice {
  return { ...voice, name: voice.name.slice(0, 200), description: voice.description.slice(0, 1_000) };
}

/** Accounts have some hundreds of voices; a provider that lists more of them is not asked for all. */
const mostVoices = 5_000;

/** Follows pages to their end; one that brings nothing new ends them too, so that nobody can make it go on for ever. */
export async function collectPages(
  fetchPage: (cursor: string | null) => Promise<{ voices: ListedVoice[]; next: string | null }>,
): Promise<ListedVoice[]> {
  const found = new Map<string, ListedVoice>();
  let cursor: string | null = null;
  do {
    const page: { voices: ListedVoice[]; next: string | null } = await fetchPage(cursor);
    const before = found.size;
    for (const voice of page.voices) found.set(voice.id, listed(voice));
    cursor = found.size > before && found.size < mostVoices ? page.next : null;
  } while (cursor !== null);
  return [...found.values()];
}
