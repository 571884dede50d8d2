// The voice catalogue of either plane, and the portal's vault of provider keys.

import { z } from "zod";
import { limits } from "./limits.ts";
import { voiceEngineSchema, type VoiceEngine } from "./settings.ts";
import { languages, type Language } from "./tones.ts";

/** Engines that speak on the caller's own account. */
export const byoEngines = ["cartesia", "elevenlabs"] as const;
export const byoEngineSchema = z.enum(byoEngines);
export type ByoEngine = z.infer<typeof byoEngineSchema>;

export function isByoEngine(engine: VoiceEngine): engine is ByoEngine {
  return byoEngines.some((one) => one === engine);
}

export const voiceEngineLabels: Record<VoiceEngine, string> = {
  local: "Built-in voice",
  cartesia: "Cartesia",
  elevenlabs: "ElevenLabs",
};

/** One voice; fields beyond these are the provider's own. */
export const voiceRowSchema = z.object({
  provider: voiceEngineSchema,
  id: z.string(),
  name: z.string(),
  language: z.string(),
  gender: z.string(),
  description: z.string(),
  /** Path of the sample route, already filled in. */
  preview: z.string(),
  recommended: z.boolean(),
});
export type VoiceRow = z.infer<typeof voiceRowSchema>;

export const voiceGroupSchema = z.object({
  provider: voiceEngineSchema,
  label: z.string(),
  state: z.enum(["ready", "empty", "starting", "refused", "unreachable", "timed_out", "key_problem"]),
  /** One line; empty when ready. */
  reason: z.string(),
  local: z.boolean(),
  voices: z.array(voiceRowSchema),
});
export type VoiceGroup = z.infer<typeof voiceGroupSchema>;

/** `GET /auth/voices` and `GET /api/voices`; `?refresh=1` asks the providers again. */
export const voiceCatalogueSchema = z.object({
  groups: z.array(voiceGroupSchema),
  voices: z.array(voiceRowSchema),
  current: z.string().nullable(),
  current_provider: voiceEngineSchema,
  portal_default: z.object({ provider: voiceEngineSchema, id: z.string() }).nullable(),
  engine_ready: z.boolean(),
  provider: voiceEngineSchema,
  provider_label: z.string(),
  requires_env: z.string().nullable(),
  local: z.boolean(),
  byo: z.boolean(),
  voice_notice: z.string(),
});
export type VoiceCatalogue = z.infer<typeof voiceCatalogueSchema>;

/** `POST /auth/voices/preview`; length and emptiness of the text have codes of their own. */
export const previewRequestSchema = z.strictObject({
  provider: voiceEngineSchema.optional(),
  voice: z.string().min(1).max(200).optional(),
  text: z.string(),
});

/** `POST /api/voice/upload`: the new voice, and the catalogue that has it. */
export const voiceUploadedSchema = z.object({
  ok: z.literal(true),
  voice_id: z.string(),
  voices: z.array(voiceRowSchema),
  current: z.string().nullable(),
});

/** `POST /api/voice/prepare`. Blank is refused by the handler, in its own words. */
export const voicePrepareRequestSchema = z.strictObject({ voice: z.string().max(200) });

/** The line a sample speaks, in each call language. */
const previewSentences: Record<Language, string> = {
  en: "Hello. This is how I sound when we talk.",
  es: "Hola. Así sueno cuando hablamos.",
  fr: "Bonjour. Voici ma voix quand nous parlons.",
  de: "Hallo. So klinge ich, wenn wir miteinander sprechen.",
  it: "Ciao. Ecco la mia voce quando parliamo.",
  pt: "Olá. É assim que eu soo quando conversamos.",
  hi: "नमस्ते। बात करते समय मेरी आवाज़ ऐसी लगती है।",
  // In kana alone: the built-in engine cannot read kanji.
  ja: "こんにちは。おはなしするときは、こんなこえです。",
};

/** What a sample of a voice says: its own language's line, or the English one where that language has none. */
export function previewLine(voiceLanguage: string): { language: Language; text: string } {
  const primary = voiceLanguage.toLowerCase().split(/[-_]/)[0];
  const language = languages.find((known) => known === primary) ?? "en";
  return { language, text: previewSentences[language] };
}

/** Every vault route answers this. A key entry holds neither the key nor its sealed form. */
export const voiceSettingsSchema = z.object({
  voice: z.object({
    engine: voiceEngineSchema,
    engines: z.array(
      z.object({
        id: voiceEngineSchema,
        label: z.string(),
        byo: z.boolean(),
        /** The key's provider; null for the built-in engine. */
        provider: byoEngineSchema.nullable(),
        note: z.string(),
      }),
    ),
    keys: z.array(
      z.object({
        provider: byoEngineSchema,
        last4: z.string(),
        masked: z.string(),
        created_at: z.int(),
        updated_at: z.int(),
        /** true: the provider said so; null: it could not be asked. A rejected key is never kept. */
        validated: z.boolean().nullable(),
        validated_at: z.int().nullable(),
      }),
    ),
  }),
});
export type VoiceSettings = z.infer<typeof voiceSettingsSchema>["voice"];

/** `PUT /auth/voice/key`. */
export const voiceKeyRequestSchema = z.strictObject({
  provider: byoEngineSchema,
  key: z
    .string()
    .trim()
    .min(8)
    .max(500)
    .regex(/^[\x21-\x7e]+$/, "must be printable ASCII without spaces"),
});
/** `PUT /auth/voice/engine`. */
export const voiceEngineRequestSchema = z.strictObject({ engine: voiceEngineSchema });
/** `PUT /auth/voice/default`. */
export const voiceDefaultRequestSchema = z.strictObject({
  engine: voiceEngineSchema,
  voice_id: z.string().trim().min(1).max(200),
  display_name: z.string().trim().min(1).max(200),
});

/** Whether a preview's text may be spoken, after its white space was collapsed. */
export function previewText(
  text: string,
): { ok: true; text: string } | { ok: false; code: "preview_text_empty" | "preview_text_too_long" } {
  const collapsed = text.replaceAll(/\s+/g, " ").trim();
  if (collapsed === "") return { ok: false, code: "preview_text_empty" };
  // Counted as a person counts: by code points.
  if (Array.from(collapsed).length > limits.previewTextChars)
    return { ok: false, code: "preview_text_too_long" };
  return { ok: true, text: collapsed };
}
