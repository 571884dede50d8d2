// What the box asks of a voice engine, whoever makes it.

import type { VoiceEngine as VoiceEngineId } from "../../contract/settings.ts";
import type { Language, Tone } from "../../contract/tones.ts";
import type { VoiceGroup, VoiceRow } from "../../contract/voices.ts";

/** Mono PCM. */
export interface Pcm {
  samples: Int16Array;
  /** In hertz. */
  sampleRate: number;
}

export interface SpeechRequest {
  text: string;
  /** A voice id of this engine. */
  voice: string;
  tone: Tone;
  signal: AbortSignal;
}

export interface EngineState {
  state: "ready" | "starting" | "unavailable";
  /** Why it is not ready; empty when it is. */
  detail: string;
}

export type ListedVoice = Omit<VoiceRow, "preview">;

/** What an engine has to offer, or why that is not known. */
export interface VoiceListing {
  state: VoiceGroup["state"];
  /** One line; empty when ready. */
  reason: string;
  voices: ListedVoice[];
}

export interface VoiceProvider {
  readonly id: VoiceEngineId;
  readonly label: string;
  state(): EngineState;
  /** Whether `voice` is one of its voices. */
  has(voice: string): boolean;
  /** Whether an account may know of a voice; null is whoever has none. Without it everybody may. */
  mayUse?(voice: string, account: string | null): boolean;
  /** What an avatar speaks with when nobody chose, in the call's language; null: somebody must choose. */
  defaultVoice(avatar: string | null, language?: Language): string | null;
  /** Its voices, asked for anew where `refresh` is set. Never rejects. Without it they are those worth a place in a catalogue. */
  list?(asked: { refresh: boolean }): Promise<VoiceListing>;
  /** The call language that a voice speaks, or null. Engines whose voices speak all of them have no such method. */
  languageOf?(voice: string): Language | null;
  /** The voice of the same character that speaks a language; the voice itself where it does, or where there is none. */
  inLanguage?(voice: string, language: Language): string;
  /** Makes ready to speak with a voice soon. */
  warm?(voice: string): void;
  /** Speech as it is made. Throws VoiceError; an abort ends it early. */
  synthesize(request: SpeechRequest): AsyncIterable<Pcm>;
  /** Ends whatever it started. */
  close(): Promise<void>;
}

/** A voice engine that failed on this clause. The message may be shown to the caller. */
export class VoiceError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "VoiceError";
  }
}
