// What a session's row in the history says of how it was set up.

import { limits } from "../../contract/limits.ts";
import type { Settings } from "../../contract/settings.ts";
import { Refusal } from "../failure.ts";
import type { Voices, VoiceWish } from "../voices/voices.ts";

export interface SessionFacts {
  model: string;
  /** Empty when the session began without a voice. */
  voice: string;
  persona: string;
}

export interface FactsOptions {
  voices: Pick<Voices, "choose">;
  settings: Settings;
  wish: VoiceWish;
  avatar: string;
}

export function factsOf({ voices, settings, wish, avatar }: FactsOptions): SessionFacts {
  return {
    model: settings.live_model,
    voice: voiceOf({ voices, settings, wish, avatar }),
    // A character is not cut in half.
    persona: settings.system_prompt.slice(0, limits.sessionPersonaChars).replace(/[\uD800-\uDBFF]$/, ""),
  };
}

function voiceOf({ voices, settings, wish, avatar }: FactsOptions): string {
  try {
    return voices.choose(wish, null, settings, avatar).voice;
  } catch (error) {
    if (error instanceof Refusal) return "";
    throw error;
  }
}
