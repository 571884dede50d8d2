// ElevenLabs' API: voices of version 2, speech of version 1 (elevenlabs.io/docs/api-reference).

import { z } from "zod";
import { collectPages, fetchJson, fetchSpeech, sampleRateHz, type ProviderRequest } from "./http.ts";
import {
  ProviderFailure,
  type ProviderAccess,
  type ProviderFailureKind,
  type ProviderVoice,
  type VoiceProvider,
} from "./provider.ts";

/** The model of their live speech; it knows every call language. */
const speechModel = "eleven_flash_v2_5";
const pageSize = 100;

const voiceSchema = z.object({
  voice_id: z.string().min(1).max(200),
  name: z.string().nullish(),
  description: z.string().nullish(),
  labels: z.record(z.string(), z.unknown()).nullish(),
  verified_languages: z.array(z.object({ language: z.string() })).nullish(),
});
const pageSchema = z.object({
  voices: z.array(z.unknown()),
  has_more: z.boolean(),
  next_page_token: z.string().nullish(),
});
const detailSchema = z.object({ detail: z.object({ status: z.string() }) });

/** A key that is genuine is refused with 401 too, where its permissions, credits or plan do not reach. */
const genuine = new Set([
  "missing_permissions",
  "quota_exceeded",
  "detected_unusual_activity",
  "payment_required",
]);

function explain(status: number, detail: unknown): ProviderFailureKind {
  const word = detailSchema.safeParse(detail).data?.detail.status ?? "";
  if (status === 401 || status === 403) return genuine.has(word) ? "denied" : "key";
  if (status === 404 || word.startsWith("voice_") || word === "invalid_uid") return "voice";
  return status === 429 ? "busy" : "denied";
}

function request({ baseUrl, key, signal }: ProviderAccess, path: string, body?: object): ProviderRequest {
  return {
    url: new URL(path, baseUrl),
    headers: { "xi-api-key": key },
    signal,
    explain,
    ...(body ? { body } : {}),
  };
}

const labelOf = (labels: Record<string, unknown> | null | undefined, name: string) => {
  const value = labels?.[name];
  return typeof value === "string" ? value : "";
};

function readVoice(row: unknown): ProviderVoice[] {
  const { data: voice } = voiceSchema.safeParse(row);
  if (!voice) return [];
  const { voice_id: id, labels } = voice;
  return [
    {
      id,
      name: voice.name?.trim() || id,
      language: labelOf(labels, "language") || (voice.verified_languages?.[0]?.language ?? ""),
      gender: labelOf(labels, "gender").toLowerCase(),
      description: voice.description ?? "",
      recommended: false,
    },
  ];
}

export const elevenlabs: VoiceProvider = {
  id: "elevenlabs",

  async verify(access) {
    await fetchJson(request(access, "v2/voices?page_size=1"), pageSchema);
  },

  listVoices: (access) =>
    collectPages(async (cursor) => {
      const after = cursor === null ? "" : `&next_page_token=${encodeURIComponent(cursor)}`;
      const page = await fetchJson(request(access, `v2/voices?page_size=${pageSize}${after}`), pageSchema);
      return {
        rows: page.voices.flatMap(readVoice),
        next: page.has_more ? (page.next_page_token ?? null) : null,
      };
    }),

  async speak(access, { voice, text }) {
    // The id becomes part of the path.
    if (!/^[\w-]+$/.test(voice)) throw new ProviderFailure("voice", "No voice has such an id.");
    const path = `v1/text-to-speech/${voice}?output_format=pcm_${sampleRateHz}`;
    return fetchSpeech(request(access, path, { text, model_id: speechModel }));
  },
};
