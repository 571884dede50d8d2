// A provider's voice for one turn. When its account turns out not to speak before a word was heard, the box's own engine
// takes the turn over and says so; later than that the turn fails, since nobody changes their voice in mid-sentence.

import type { Language } from "../../contract/tones.ts";
import { VoiceFailure } from "./failure.ts";
import type { HostedEngine } from "./hosted/hosted.ts";
import { callLanguageOf, languageOfScript } from "./speakable.ts";
import type { EngineState, Pcm, SpeechRequest, VoiceListing, VoiceProvider } from "./voice.ts";

export interface TurnVoiceOptions {
  hosted: HostedEngine;
  key: string;
  /** The call's, where somebody asked for one. */
  language: Language | null;
  /** What the account's list is known to be. */
  listing(): VoiceListing | null;
  /** Who takes over, in the language that the voice would have spoken; null: nobody can. */
  fallback(spoken: Language | null): { engine: VoiceProvider; voice: string } | null;
  /** The account does not speak. Returns what its owner is told. */
  onTrouble(failure: VoiceFailure): string;
  /** The box's own engine took over. */
  onTakenOver(notice: string): void;
}

/** The call language that a provider's voice is bound to; voices of the others speak whatever they are given. */
export function boundLanguage(
  { id: provider }: HostedEngine,
  listing: VoiceListing | null,
  voice: string,
): Language | null {
  const row = listing?.voices.find(({ id }) => id === voice);
  return provider === "cartesia" && row ? callLanguageOf(row.language) : null;
}

export class TurnVoice implements VoiceProvider {
  readonly #options: TurnVoiceOptions;
  #heard = false;
  #takenOver: { engine: VoiceProvider; voice: string } | null = null;
  #notice = "";

  constructor(options: TurnVoiceOptions) {
    this.#options = options;
  }

  get id(): HostedEngine["id"] {
    return this.#options.hosted.id;
  }

  get label(): string {
    return this.#options.hosted.label;
  }

  /** Why the box's own engine speaks; empty while it does not. */
  get notice(): string {
    return this.#notice;
  }

  state(): EngineState {
    return { state: "ready", detail: "" };
  }

  /** By the account's list where it is at hand, else by how the provider's ids look. */
  has(voice: string): boolean {
    const { hosted } = this.#options;
    const listing = this.#options.listing();
    if (listing?.state === "ready") return listing.voices.some(({ id }) => id === voice);
    return hosted.looksLike(voice);
  }

  defaultVoice(_avatar: string | null, language?: Language): string | null {
    const all = this.#options.listing()?.voices.filter(({ recommended }) => recommended) ?? [];
    const wanted = language ?? "en";
    const own = all.find((voice) => callLanguageOf(voice.language) === wanted);
    return (own ?? all[0])?.id ?? null;
  }

  languageOf(voice: string): Language | null {
    return boundLanguage(this.#options.hosted, this.#options.listing(), voice);
  }

  warm(): void {
    const { hosted, key, onTrouble } = this.#options;
    hosted.warm(key).catch((error: unknown) => {
      // The turn itself tells of anything else.
      if (error instanceof VoiceFailure && error.ofAccount) onTrouble(error);
    });
  }

  async *synthesize(request: SpeechRequest): AsyncGenerator<Pcm, void, undefined> {
    const { hosted, key, fallback, onTrouble, onTakenOver } = this.#options;
    const { text, voice, tone, signal } = request;
    if (!this.#takenOver) {
      const language = languageOfScript(text) ?? this.#options.language ?? this.languageOf(voice);
      try {
        for await (const pcm of hosted.speak({ key, text, voice, tone, language, signal })) {
          this.#heard = true;
          yield pcm;
        }
        return;
      } catch (error) {
        if (!(error instanceof VoiceFailure) || !error.ofAccount) throw error;
        const notice = onTrouble(error);
        const standIn = this.#heard ? null : fallback(this.languageOf(voice));
        if (!standIn) throw error;
        this.#takenOver = standIn;
        this.#notice = notice;
        onTakenOver(notice);
      }
    }
    const standIn = this.#takenOver;
    if (standIn) yield* standIn.engine.synthesize({ ...request, voice: standIn.voice });
  }

  /** What it holds is its engine's, and stays. */
  close(): Promise<void> {
    return Promise.resolve();
  }
}
