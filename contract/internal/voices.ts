// Voices between box and portal: the callers' own keys, and the built-in engine's voices and samples.

import { z } from "zod";
import { voiceEngineSchema } from "../settings.ts";
import { byoEngineSchema, voiceRowSchema } from "../voices.ts";

/** `POST /internal/voices/account`: how an account's sessions speak. The only answer that carries keys in the clear. */
export const voiceAccountRequestSchema = z.strictObject({ account: z.string() });
export const voiceAccountSchema = z.object({
  engine: voiceEngineSchema,
  /** Null when none was chosen for that engine. */
  default_voice: z.string().nullable(),
  keys: z.array(z.object({ provider: byoEngineSchema, key: z.string() })),
  /** Providers whose key is saved and cannot be opened. */
  unreadable: z.array(byoEngineSchema),
});
export type VoiceAccount = z.infer<typeof voiceAccountSchema>;

/** `POST /internal/voices/builtin`: the built-in engine's voices; answers those whose sample the portal lacks. */
export const builtinVoicesSchema = z.strictObject({
  voices: z.array(voiceRowSchema.omit({ preview: true }).strict()).max(1000),
});
export const builtinVoicesAnswerSchema = z.object({ samples_wanted: z.array(z.string()) });

/** Largest sample the portal takes. */
export const builtinSampleBytes = 1024 * 1024;

/** `PUT /internal/voices/builtin/{voice}/sample`: a 16-bit PCM WAV of at most 1 MiB as the body. */
export const builtinSampleAnswerSchema = z.object({ ok: z.literal(true) });
