// Which engine and voice a turn speaks with.

import { builtinVoiceEngine, type Settings } from "../../contract/settings.ts";
import type { Language } from "../../contract/tones.ts";
import { Refusal } from "../failure.ts";
import type { VoiceProvider } from "./voice.ts";

export interface ChosenVoice {
  engine: VoiceProvider;
  voice: string;
  /** Non-empty when another engine than the chosen one will speak. */
  notice: string;
}

export interface VoiceWish {
  voice?: string | undefined;
  voiceProvider?: string | undefined;
}

export class Voices {
  readonly #engines: Map<string, VoiceProvider>;

  /** One of the engines must be the built-in one. */
  constructor(engines: readonly VoiceProvider[]) {
    this.#engines = new Map(engines.map((engine) => [engine.id, engine]));
  }

  get builtin(): VoiceProvider {
    const engine = this.#engines.get(builtinVoiceEngine);
    if (!engine) throw new Error("The built-in voice engine is missing.");
    return engine;
  }

  /**
   * The first that is set: the turn's wish, the session's (its picker), the settings, the avatar's own voice.
   * `language`: the one that somebody asked for in the call. It turns every voice but the turn's own wish to the same
   * character in that language.
   * Throws Refusal: `invalid_body` for a voice the engine does not have, `voice_unavailable` when it is down.
   */
  choose(
    wish: VoiceWish,
    session: VoiceWish | null,
    settings: Settings,
    avatar: string | null,
    language?: Language,
  ): ChosenVoice {
    const wanted = wish.voiceProvider ?? session?.voiceProvider;
    if (wanted && !this.#engines.has(wanted))
      throw new Refusal(
        "invalid_body",
        `voice_provider: this box has no voice engine ${JSON.stringify(wanted)}.`,
      );
    const preferred = this.#engines.get(wanted ?? settings.tts_provider);
    const engine = preferred ?? this.builtin;
    const notice = preferred
      ? ""
      : `The voice engine ${settings.tts_provider} is not set up on this box; its own engine speaks instead.`;

    const asked = wish.voice?.trim() || undefined;
    if (asked !== undefined && engine.state().state === "ready" && !engine.has(asked))
      throw new Refusal(
        "invalid_body",
        `voice: ${JSON.stringify(asked)} is no voice of the engine ${engine.id}; send voice_provider beside voice.`,
      );
    const { state, detail } = engine.state();
    if (state !== "ready")
      throw new Refusal("voice_unavailable", `Text-to-speech is not configured: ${detail}`);

    const slots = [session?.voice?.trim(), settings[voiceSlot(engine.id)]];
    const picked = slots.find((id) => id && engine.has(id));
    const turned = picked && language ? engine.inLanguage?.(picked, language) : undefined;
    const voice = asked ?? turned ?? picked ?? engine.defaultVoice(avatar, language);
    // It loads while the model thinks.
    engine.warm?.(voice);
    return { engine, voice, notice };
  }

  /** The call language that a voice speaks; null where it is not bound to one. */
  languageOf({ engine, voice }: Pick<ChosenVoice, "engine" | "voice">): Language | null {
    return engine.languageOf?.(voice) ?? null;
  }

  async close(): Promise<void> {
    await Promise.all([...this.#engines.values()].map((engine) => engine.close()));
  }
}

function voiceSlot(engine: VoiceProvider["id"]): "voice_id" | "voice_id_local" | "voice_id_cartesia" {
  return engine === "elevenlabs" ? "voice_id" : `voice_id_${engine}`;
}
