// The emotion vocabulary and the call languages.

import { z } from "zod";

/** Delivery tones; `neutral` is the base every avatar has. */
export const tones = [
  "neutral",
  "warm",
  "happy",
  "excited",
  "curious",
  "serious",
  "sad",
  "concerned",
  "surprised",
] as const;
export const toneSchema = z.enum(tones);
export type Tone = z.infer<typeof toneSchema>;
export const baseTone: Tone = "neutral";

/** Call languages (ISO 639-1). */
export const languages = ["en", "es", "fr", "de", "it", "pt", "hi", "ja"] as const;
export const languageSchema = z.enum(languages);
export type Language = z.infer<typeof languageSchema>;
