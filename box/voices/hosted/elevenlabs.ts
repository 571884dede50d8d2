// ElevenLabs' API: voices of version 2, speech of version 1 (elevenlabs.io/docs/api-reference).
//
// A clause is at hand as a whole, and for that their documentation prefers the streaming request to the socket: on a kept
// connection it costs no handshake, it has no contexts to run out of, and giving it up is closing it.

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Tone } from "../../../contract/tones.ts";
import { voiceEngineLabels } from "../../../contract/voices.ts";
import { VoiceFailure, type VoiceFault } from "../failure.ts";
import { VoiceHttp, type VoiceAnswer } from "../http.ts";
import { PcmReader } from "../pcm.ts";
import { speakable } from "../speakable.ts";
import type { ListedVoice, Pcm } from "../voice.ts";
import { collectPages, hostedSampleRate, type HostedEngine, type HostedRequest } from "./hosted.ts";

/** The model of their live speech; it knows every call language. */
const speechModel = "eleven_flash_v2_5";
const pageSize = 100;
const pageBytes = 4 * 1024 * 1024;
/** What plans speak that may not have the usual rate. */
const lowSampleRate = 16_000;
const mostLow = 1_000;

/** Of their own voices that every account has. */
const recommended = new Set(["EXAVITQu4vr4xnSDxMaL", "JBFqnCBsd6RMkjVDRZzb", "21m00Tcm4TlvDq8ikWAM"]);

/**
 * Delivery, in their terms: less stability lets a voice move more, speed is relative to its own. Style is left alone, as
 * it costs time to the first sound; neutral leaves the voice as its owner set it.
 */
const deliveries: Partial<Record<Tone, { stability: number; speed: number }>> = {
  warm: { stability: 0.45, speed: 0.97 },
  happy: { stability: 0.35, speed: 1.03 },
  excited: { stability: 0.25, speed: 1.08 },
  curious: { stability: 0.4, speed: 1 },
  serious: { stability: 0.7, speed: 0.96 },
  sad: { stability: 0.45, speed: 0.9 },
  concerned: { stability: 0.5, speed: 0.95 },
  surprised: { stability: 0.25, speed: 1.04 },
};

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
const spent = new Set([
  "missing_permissions",
  "quota_exceeded",
  "detected_unusual_activity",
  "payment_required",
]);

export function elevenlabsFault(status: number, word = ""): VoiceFault {
  if (status === 402 || spent.has(word)) return "credit";
  if (status === 401 || status === 403) return "key";
  if (status === 404 || word.startsWith("voice_") || word === "invalid_uid") return "voice";
  if (status === 429) return "busy";
  return status >= 400 && status < 500 ? "request" : "unreachable";
}

function readVoice(row: unknown): ListedVoice[] {
  const { data: voice } = voiceSchema.safeParse(row);
  if (!voice) return [];
  const { voice_id: id, name, description, labels, verified_languages: verified } = voice;
  const label = (which: string) => {
    const value = labels?.[which];
    return typeof value === "string" ? value : "";
  };
  return [
    {
      provider: "elevenlabs",
      id,
      name: name?.trim() || id,
      language: label("language") || (verified?.[0]?.language ?? ""),
      gender: label("gender").toLowerCase(),
      description: description ?? "",
      recommended: recommended.has(id),
    },
  ];
}

export interface ElevenLabsTimes {
  firstAudioMs: number;
  silenceMs: number;
  wholeMs: number;
}

const usualTimes: ElevenLabsTimes = { firstAudioMs: 6_000, silenceMs: 4_000, wholeMs: 60_000 };

export interface ElevenLabsOptions {
  /** Where the API answers; no trailing slash. */
  url: string;
  times?: Partial<ElevenLabsTimes>;
}

export class ElevenLabs implements HostedEngine {
  readonly id = "elevenlabs";
  readonly label = voiceEngineLabels.elevenlabs;
  readonly #url: string;
  readonly #times: ElevenLabsTimes;
  readonly #http = new VoiceHttp(voiceEngineLabels.elevenlabs);
  /** Digests of keys whose plan does not have the usual rate. */
  readonly #low = new Set<string>();

  constructor({ url, times }: ElevenLabsOptions) {
    this.#url = url;
    this.#times = { ...usualTimes, ...times };
  }

  looksLike(voice: string): boolean {
    return /^[A-Za-z0-9]{20}$/.test(voice);
  }

  listVoices(key: string, signal: AbortSignal): Promise<ListedVoice[]> {
    return collectPages(async (cursor) => {
      const after = cursor === null ? "" : `&next_page_token=${encodeURIComponent(cursor)}`;
      const answer = await this.#http.ask({
        url: `${this.#url}/v2/voices?page_size=${pageSize}${after}`,
        headers: { "xi-api-key": key },
        signal,
        answerWithinMs: 8_000,
        silenceMs: 4_000,
        wholeWithinMs: 10_000,
      });
      if (!answer.ok) throw await this.#failure(answer);
      const { data: page } = pageSchema.safeParse(await answer.json(pageBytes));
      if (!page) throw new VoiceFailure(this.label, "unreachable");
      const voices = page.voices.flatMap(readVoice);
      return { voices, next: page.has_more ? (page.next_page_token ?? null) : null };
    });
  }

  async *speak(request: HostedRequest): AsyncGenerator<Pcm> {
    const { voice, signal } = request;
    const text = speakable(request.text);
    if (text === "" || signal.aborted) return;
    // The id becomes part of the path.
    if (!/^[\w-]{1,200}$/.test(voice)) throw new VoiceFailure(this.label, "voice");
    let answer: VoiceAnswer;
    let sampleRate: number;
    try {
      ({ answer, sampleRate } = await this.#ask({ ...request, text }));
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    if (/json|text|html|xml/.test(answer.type)) {
      answer.discard();
      throw new VoiceFailure(this.label, "unreachable");
    }
    const reader = new PcmReader(sampleRate);
    let said = false;
    try {
      for await (const bytes of answer.pieces()) {
        if (signal.aborted) return;
        const pcm = reader.push(bytes);
        if (!pcm) continue;
        said = true;
        yield pcm;
      }
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    if (!said && !signal.aborted) throw new VoiceFailure(this.label, "unreachable");
  }

  /** Connects; the answer says nothing about the key, which is not sent. */
  async warm(): Promise<void> {
    const answer = await this.#http.ask({
      url: `${this.#url}/`,
      signal: new AbortController().signal,
      answerWithinMs: 4_000,
      silenceMs: 1_000,
      wholeWithinMs: 5_000,
    });
    await answer.skip();
  }

  close(): Promise<void> {
    this.#http.close();
    return Promise.resolve();
  }

  async #ask(request: HostedRequest): Promise<{ answer: VoiceAnswer; sampleRate: number }> {
    const { key, text, voice, tone, language, signal } = request;
    const digest = createHash("sha256").update(key).digest("hex");
    const sampleRate = this.#low.has(digest) ? lowSampleRate : hostedSampleRate;
    const settings = deliveries[tone];
    const answer = await this.#http.ask({
      url: `${this.#url}/v1/text-to-speech/${voice}/stream?output_format=pcm_${sampleRate}`,
      headers: { "xi-api-key": key },
      body: {
        text,
        model_id: speechModel,
        ...(language === null ? {} : { language_code: language }),
        ...(settings === undefined ? {} : { voice_settings: settings }),
      },
      signal,
      answerWithinMs: this.#times.firstAudioMs,
      silenceMs: this.#times.silenceMs,
      wholeWithinMs: this.#times.wholeMs,
    });
    if (answer.ok) return { answer, sampleRate };
    const { data } = detailSchema.safeParse(await answer.json());
    const word = data?.detail.status ?? "";
    if (word === "output_format_not_allowed" && sampleRate !== lowSampleRate) {
      if (this.#low.size >= mostLow) this.#low.clear();
      this.#low.add(digest);
      return this.#ask(request);
    }
    throw new VoiceFailure(this.label, elevenlabsFault(answer.status, word));
  }

  async #failure(answer: VoiceAnswer): Promise<VoiceFailure> {
    const { data } = detailSchema.safeParse(await answer.json());
    return new VoiceFailure(this.label, elevenlabsFault(answer.status, data?.detail.status));
  }
}
