// What a session's row in the history says of how it was set up.

import { limits } from "../../contract/limits.ts";
import type { Settings } from "../../contract/settings.ts";
import type { Language } from "../../contract/tones.ts";
import { Refusal } from "../failure.ts";
import type { AccountVoices, ChosenVoice, VoiceWish } from "../voices/voices.ts";

export interface SessionFacts {
  model: string;
  /** Empty when the session began without a voice. */
  voice: string;
  persona: string;
}

export interface FactsOptions {
  voices: Pick<AccountVoices, "choose">;
  settings: Settings;
  wish: VoiceWish;
  avatar: string;
}

export function factsOf(options: FactsOptions): SessionFacts {
  const { settings } = options;
  return {
    model: settings.live_model,
    voice: voiceOf(options)?.voice ?? "",
    // A character is not cut in half.
    persona: settings.system_prompt.slice(0, limits.sessionPersonaChars).replace(/[\uD800-\uDBFF]$/, ""),
  };
}

/** The language a call begins in: that of its voice, where a voice has one. */
export function languageOf(
  options: FactsOptions & { voices: Pick<AccountVoices, "choose" | "languageOf"> },
): Language | undefined {
  const voice = voiceOf(options);
  return (voice && options.voices.languageOf(voice)) ?? undefined;
}

function voiceOf({ voices, settings, wish, avatar }: FactsOptions): ChosenVoice | null {
  try {
    return voices.choose(wish, null, settings, avatar);
  } catch (error) {
    if (error instanceof Refusal) return null;
    throw error;
  }
}
