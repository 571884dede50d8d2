// The built-in engine's voices that are worth a place in a catalogue: those of the call languages.

import { languages, type Language } from "../../contract/tones.ts";
import type { VoiceRow } from "../../contract/voices.ts";
import type { VoiceProvider } from "./voice.ts";

export type BuiltinVoice = Omit<VoiceRow, "preview">;

interface Accent {
  /** BCP 47. */
  language: string;
  /** The language as espeak-ng calls it. */
  name: string;
  label: string;
}

/** The first of each language is the one to recommend. */
const accents: Accent[] = [
  { language: "en-US", name: "en-us", label: "American English" },
  { language: "en-GB", name: "en-gb", label: "British English" },
  { language: "es-ES", name: "es", label: "Spanish" },
  { language: "es-419", name: "es-419", label: "Latin American Spanish" },
  { language: "fr-FR", name: "fr-fr", label: "French" },
  { language: "de-DE", name: "de", label: "German" },
  { language: "it-IT", name: "it", label: "Italian" },
  { language: "pt-BR", name: "pt-br", label: "Brazilian Portuguese" },
  { language: "pt-PT", name: "pt", label: "European Portuguese" },
  { language: "hi-IN", name: "hi", label: "Hindi" },
  { language: "ja-JP", name: "ja", label: "Japanese" },
];

interface Variant {
  name: string;
  gender: "female" | "male";
  label: string;
  description: string;
}

/** Variants of espeak-ng that stay clear at every pitch and speed of the delivery tones. The first is the one to recommend. */
const variants: Variant[] = [
  { name: "f2", gender: "female", label: "even", description: "A woman's voice, even and clear." },
  { name: "f3", gender: "female", label: "light", description: "A woman's voice, a little lighter." },
  { name: "m3", gender: "male", label: "calm", description: "A man's voice, calm and low." },
];

const primary = (language: string) => language.split("-")[0];

/** The call language of a voice id such as `pt-br+f3`; null for a voice of another language. */
export function languageOfVoice(id: string): Language | null {
  return languages.find((language) => language === primary(id.split("+")[0] ?? "")) ?? null;
}

/** A voice of the same variant that speaks the language; the voice itself where it does already. */
export function voiceInLanguage(id: string, language: Language): string {
  if (languageOfVoice(id) === language) return id;
  const accent = accents.find((one) => primary(one.language) === language);
  const variant = /\+.*$/.exec(id)?.[0] ?? "";
  return accent ? accent.name + variant : id;
}

/** The voices that the engine has installed; empty while it is not ready. */
export function builtinVoices(engine: Pick<VoiceProvider, "has" | "state">): BuiltinVoice[] {
  if (engine.state().state !== "ready") return [];
  return accents.flatMap((accent) => {
    const first = accents.find((one) => primary(one.language) === primary(accent.language));
    return variants.flatMap((variant): BuiltinVoice[] => {
      const id = `${accent.name}+${variant.name}`;
      if (!engine.has(id)) return [];
      return [
        {
          provider: "local",
          id,
          name: `${accent.label}, ${variant.label} (${variant.gender})`,
          language: accent.language,
          gender: variant.gender,
          description: variant.description,
          recommended: first === accent && variant === variants[0],
        },
      ];
    });
  });
}
