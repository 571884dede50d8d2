// The caller's one settings record.

import { z } from "zod";
import { limits } from "./limits.ts";
import { effortSchema, modelRowSchema, reasoningLevels, reasoningSchema } from "./models.ts";
import { toolDefinitionSchema, toolPhrasesSchema } from "./tools.ts";

/** Voice engines; `local` is built in. Each but `elevenlabs` keeps its voice under `voice_id_<engine>`. */
export const voiceEngines = ["local", "cartesia", "elevenlabs"] as const;
export const voiceEngineSchema = z.enum(voiceEngines);
export type VoiceEngine = z.infer<typeof voiceEngineSchema>;
export const builtinVoiceEngine: VoiceEngine = "local";

/** A thinking level; whatever is no level means automatic. */
const reasoningSettingSchema = z.preprocess(
  (value) => reasoningLevels.find((level) => level === value) ?? null,
  reasoningSchema.nullable(),
);

/** The body of a save: any subset; fields not sent are left alone; an unknown field refuses the whole save. */
export const settingsPatchSchema = z
  .strictObject({
    model: z.string().min(1).max(200),
    live_model: z.string().min(1).max(200),
    system_prompt: z.string().max(limits.systemPromptChars),
    max_tokens: z.int().min(limits.maxTokens.min).max(limits.maxTokens.max),
    top_p: z.number().min(0).max(1).nullable(),
    temperature: z.number().min(0).max(1).nullable(),
    effort: effortSchema,
    reasoning: reasoningSettingSchema,
    tool_phrases: toolPhrasesSchema,
    tts_provider: voiceEngineSchema,
    /** Empty or null: none is chosen. */
    avatar: z
      .string()
      .max(200)
      .nullable()
      .transform((value) => value ?? ""),
    emotion_responsive: z.boolean(),
    voice_id: z.string().max(200).nullable(),
    voice_id_local: z.string().max(200).nullable(),
    voice_id_cartesia: z.string().max(200).nullable(),
    tools: z.array(toolDefinitionSchema).max(limits.tools),
  })
  .partial();
export type SettingsPatch = z.infer<typeof settingsPatchSchema>;

/** The whole effective record, as every read answers it. */
export const settingsSchema = z.object({
  provider: z.string(),
  model: z.string(),
  live_model: z.string(),
  system_prompt: z.string(),
  max_tokens: z.int(),
  top_p: z.number().nullable(),
  temperature: z.number().nullable(),
  effort: effortSchema,
  reasoning: reasoningSchema.nullable(),
  tool_phrases: toolPhrasesSchema,
  tts_provider: voiceEngineSchema,
  avatar: z.string().optional(),
  emotion_responsive: z.boolean(),
  voice_id: z.string().nullable(),
  voice_id_local: z.string().nullable(),
  voice_id_cartesia: z.string().nullable(),
  tools: z.array(toolDefinitionSchema),
});
export type Settings = z.infer<typeof settingsSchema>;

export const ttsProviderSchema = z.object({
  id: voiceEngineSchema,
  label: z.string(),
  local: z.boolean(),
  byo: z.boolean(),
  cloning: z.boolean(),
  available: z.boolean(),
});

export const settingsReadSchema = z.object({
  settings: settingsSchema,
  models: z.array(modelRowSchema),
  effort_levels: z.array(effortSchema),
  reasoning_levels: z.array(reasoningSchema),
  tts_providers: z.array(ttsProviderSchema),
  persisted: z.boolean(),
});
export type SettingsRead = z.infer<typeof settingsReadSchema>;

export const settingsSavedSchema = z.object({
  ok: z.literal(true),
  saved: z.boolean(),
  settings: settingsSchema,
});

/** A refusal: `{ok:false, error:{code:"setting_refused", message}}` with 400. */
export const settingsRefusedSchema = z.object({
  ok: z.literal(false),
  error: z.object({ code: z.literal("setting_refused"), message: z.string() }),
});

/** Who the avatar is until its owner says otherwise. */
export const defaultSystemPrompt =
  "You are a friendly person on a live video call. Answer in short spoken sentences, one thought at a time, " +
  "without lists, markup or emoji. If you do not know something, say so.";

/** The record of a caller who has saved nothing, given the catalogue of the deployment. */
export function defaultSettings(models: readonly z.infer<typeof modelRowSchema>[]): Settings {
  const first = (tier: "quality" | "fast") =>
    models.find((row) => row.selectable && row.tiers.includes(tier)) ?? models[0];
  const model = first("quality");
  const liveModel = first("fast");
  if (!model || !liveModel) throw new Error("The model catalogue is empty.");
  return {
    provider: model.provider,
    model: model.id,
    live_model: liveModel.id,
    system_prompt: defaultSystemPrompt,
    max_tokens: limits.maxTokens.default,
    top_p: null,
    temperature: null,
    effort: "medium",
    reasoning: null,
    tool_phrases: {},
    tts_provider: builtinVoiceEngine,
    emotion_responsive: true,
    voice_id: null,
    voice_id_local: null,
    voice_id_cartesia: null,
    tools: [],
  };
}
