// Cartesia's API, as of the version named below (docs.cartesia.ai/api-reference).

import { createHash } from "node:crypto";
import { z } from "zod";
import type { Tone } from "../../../contract/tones.ts";
import { voiceEngineLabels } from "../../../contract/voices.ts";
import { VoiceFailure, type VoiceFault } from "../failure.ts";
import { VoiceHttp } from "../http.ts";
import { PcmReader } from "../pcm.ts";
import { speakable } from "../speakable.ts";
import type { ListedVoice, Pcm } from "../voice.ts";
import { CartesiaLine, type CartesiaTimes } from "./cartesia-line.ts";
import { collectPages, hostedSampleRate, type HostedEngine, type HostedRequest } from "./hosted.ts";

const apiVersion = "2026-03-01";
const speechModel = "sonic-3.5";
const pageSize = 100;
const pageBytes = 4 * 1024 * 1024;
/** Keys whose sockets are kept at once; callers of one box are few. */
const mostLines = 16;

/** What their own guide recommends for agents. */
const recommended = new Set(["f786b574-daa5-4673-aa0c-cbe3e8534c02", "228fca29-3a0a-435c-8728-5cb483251068"]);

/**
 * Delivery, in the words of their emotion control; neutral leaves it to the words themselves. Their speed control is
 * switched off for this model, so none is sent.
 */
const emotions: Partial<Record<Tone, string>> = {
  warm: "affectionate",
  happy: "happy",
  excited: "excited",
  curious: "curious",
  serious: "determined",
  sad: "sad",
  concerned: "sympathetic",
  surprised: "surprised",
};

const voiceSchema = z.object({
  id: z.string().min(1).max(200),
  name: z.string(),
  description: z.string().nullish(),
  language: z.string().nullish(),
  gender: z.string().nullish(),
});
const pageSchema = z.object({ data: z.array(z.unknown()), has_more: z.boolean() });
const errorSchema = z.object({ error_code: z.string() });

/** What a refusal means, from its status and its code, where it has one. */
export function cartesiaFault(status: number, code = ""): VoiceFault {
  if (status === 401 || status === 403) return "key";
  if (status === 402 || code.includes("quota") || code.includes("credit")) return "credit";
  if (status === 404 || code.includes("voice")) return "voice";
  if (status === 429) return "busy";
  return status >= 400 && status < 500 ? "request" : "unreachable";
}

function readVoice(row: unknown): ListedVoice[] {
  const { data: voice } = voiceSchema.safeParse(row);
  if (!voice) return [];
  const { id, name, language, gender, description } = voice;
  return [
    {
      provider: "cartesia",
      id,
      name: name.trim() || id,
      language: language ?? "",
      gender: (gender ?? "").toLowerCase(),
      description: description ?? "",
      recommended: recommended.has(id),
    },
  ];
}

export interface CartesiaOptions {
  /** Where the API answers; no trailing slash. */
  url: string;
  times?: Partial<CartesiaTimes>;
}

export class Cartesia implements HostedEngine {
  readonly id = "cartesia";
  readonly label = voiceEngineLabels.cartesia;
  readonly #options: CartesiaOptions;
  readonly #http = new VoiceHttp(voiceEngineLabels.cartesia);
  /** By the digest of their key, used longest ago first; gone once nothing is said on them any more. */
  readonly #lines = new Map<string, CartesiaLine>();
  #closed = false;

  constructor(options: CartesiaOptions) {
    this.#options = options;
  }

  looksLike(voice: string): boolean {
    return /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(voice);
  }

  listVoices(key: string, signal: AbortSignal): Promise<ListedVoice[]> {
    return collectPages(async (cursor) => {
      const after = cursor === null ? "" : `&starting_after=${encodeURIComponent(cursor)}`;
      const answer = await this.#http.ask({
        url: `${this.#options.url}/voices?limit=${pageSize}${after}`,
        headers: headersOf(key),
        signal,
        answerWithinMs: 8_000,
        silenceMs: 4_000,
        wholeWithinMs: 10_000,
      });
      if (!answer.ok) {
        const { data } = errorSchema.safeParse(await answer.json());
        throw new VoiceFailure(this.label, cartesiaFault(answer.status, data?.error_code));
      }
      const { data: page } = pageSchema.safeParse(await answer.json(pageBytes));
      if (!page) throw new VoiceFailure(this.label, "unreachable");
      const voices = page.data.flatMap(readVoice);
      return { voices, next: page.has_more ? (voices.at(-1)?.id ?? null) : null };
    });
  }

  async *speak({ key, text, voice, tone, language, signal }: HostedRequest): AsyncGenerator<Pcm> {
    const transcript = speakable(text);
    if (transcript === "" || signal.aborted) return;
    const emotion = emotions[tone];
    const generation = {
      model_id: speechModel,
      transcript,
      voice: { mode: "id", id: voice },
      ...(language === null ? {} : { language }),
      output_format: { container: "raw", encoding: "pcm_s16le", sample_rate: hostedSampleRate },
      ...(emotion === undefined ? {} : { generation_config: { emotion } }),
      continue: false,
    };
    const reader = new PcmReader(hostedSampleRate);
    let said = false;
    for await (const bytes of this.#line(key).generate(generation, signal)) {
      const pcm = reader.push(bytes);
      if (!pcm) continue;
      said = true;
      yield pcm;
    }
    if (!said && !signal.aborted) throw new VoiceFailure(this.label, "unreachable");
  }

  async warm(key: string): Promise<void> {
    await this.#line(key).open();
  }

  async close(): Promise<void> {
    this.#closed = true;
    this.#http.close();
    await Promise.all([...this.#lines.values()].map((line) => line.close()));
    this.#lines.clear();
  }

  /** Keys in memory. */
  get keys(): number {
    return this.#lines.size;
  }

  /** The socket of a key: one for everything that is said on its account. */
  #line(key: string): CartesiaLine {
    if (this.#closed) throw new VoiceFailure(this.label, "unreachable");
    const name = createHash("sha256").update(key).digest("hex");
    const known = this.#lines.get(name);
    const line: CartesiaLine =
      known ??
      new CartesiaLine({
        url: `${this.#options.url.replace(/^http/, "ws")}/tts/websocket`,
        headers: headersOf(key),
        label: this.label,
        faultOf: cartesiaFault,
        // Its headers hold the key.
        onIdle: () => {
          if (this.#lines.get(name) === line) this.#lines.delete(name);
        },
        ...(this.#options.times ? { times: this.#options.times } : {}),
      });
    this.#lines.delete(name);
    this.#lines.set(name, line);
    for (const [other, idle] of this.#lines) {
      if (this.#lines.size <= mostLines) break;
      if (idle.busy) continue;
      this.#lines.delete(other);
      void idle.close();
    }
    return line;
  }
}

const headersOf = (key: string) => ({ Authorization: `Bearer ${key}`, "Cartesia-Version": apiVersion });
