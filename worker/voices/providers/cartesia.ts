// Cartesia's API, as of the version named below (docs.cartesia.ai/api-reference).

import { z } from "zod";
import { collectPages, fetchJson, fetchSpeech, sampleRateHz, type ProviderRequest } from "./http.ts";
import type { ProviderAccess, ProviderFailureKind, ProviderVoice, VoiceProvider } from "./provider.ts";

const apiVersion = "2026-03-01";
const speechModel = "sonic-3.5";
const pageSize = 100;

const voiceSchema = z.object({
  id: z.string().min(1).max(200),
  name: z.string(),
  description: z.string().nullish(),
  language: z.string().nullish(),
  gender: z.string().nullish(),
});
const pageSchema = z.object({ data: z.array(z.unknown()), has_more: z.boolean() });

function explain(status: number, detail: unknown): ProviderFailureKind {
  if (status === 401 || status === 403) return "key";
  if (status === 404) return "voice";
  const { error_code: code } = z.object({ error_code: z.string() }).safeParse(detail).data ?? {};
  if (status === 400 && code?.includes("voice")) return "voice";
  return status === 429 ? "busy" : "denied";
}

function request({ baseUrl, key, signal }: ProviderAccess, path: string, body?: object): ProviderRequest {
  return {
    url: new URL(path, baseUrl),
    headers: { Authorization: `Bearer ${key}`, "Cartesia-Version": apiVersion },
    signal,
    explain,
    ...(body ? { body } : {}),
  };
}

function readVoice(row: unknown): ProviderVoice[] {
  const { data: voice } = voiceSchema.safeParse(row);
  if (!voice) return [];
  return [
    {
      id: voice.id,
      name: voice.name.trim() || voice.id,
      language: voice.language ?? "",
      gender: (voice.gender ?? "").toLowerCase(),
      description: voice.description ?? "",
      recommended: false,
    },
  ];
}

export const cartesia: VoiceProvider = {
  id: "cartesia",

  async verify(access) {
    await fetchJson(request(access, "voices?limit=1"), pageSchema);
  },

  listVoices: (access) =>
    collectPages(async (cursor) => {
      const after = cursor === null ? "" : `&starting_after=${encodeURIComponent(cursor)}`;
      const page = await fetchJson(request(access, `voices?limit=${pageSize}${after}`), pageSchema);
      const rows = page.data.flatMap(readVoice);
      return { rows, next: page.has_more ? (rows.at(-1)?.id ?? null) : null };
    }),

  speak: (access, { voice, text, language }) =>
    fetchSpeech(
      request(access, "tts/bytes", {
        model_id: speechModel,
        transcript: text,
        voice: { mode: "id", id: voice },
        ...(language === null ? {} : { language }),
        output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: sampleRateHz },
      }),
    ),
};
