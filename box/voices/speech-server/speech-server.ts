// A speech server of one's own, under the name of the built-in engine: any that speaks OpenAI's `/v1/audio/speech`
// (Kokoro-FastAPI, openedai-speech, Chatterbox and vLLM-Omni among them).

import { limits } from "../../../contract/limits.ts";
import type { Language } from "../../../contract/tones.ts";
import { VoiceFailure, type VoiceFault } from "../failure.ts";
import { VoiceHttp, type VoiceAnswer } from "../http.ts";
import { PcmReader } from "../pcm.ts";
import { callLanguageOf, languageOfScript, speakable } from "../speakable.ts";
import type { EngineState, ListedVoice, Pcm, SpeechRequest, VoiceListing, VoiceProvider } from "../voice.ts";
import { WavReader } from "../wav.ts";
import { CloneRecord } from "./clone-record.ts";
import { ownerMark, ownerOf, readListing, usualListing, type ServerVoice } from "./listing.ts";

export interface SpeechServerTimes {
  /** From a clause to its first audio: small machines take their time. */
  firstAudioMs: number;
  silenceMs: number;
  wholeMs: number;
  listMs: number;
  /** Between two looks at a server that does not answer. */
  retryMs: number;
  /** A server that loads its model has this long before it counts as gone. */
  startingMs: number;
}

const usualTimes: SpeechServerTimes = {
  firstAudioMs: 8_000,
  silenceMs: 5_000,
  wholeMs: 90_000,
  listMs: 5_000,
  retryMs: 5_000,
  startingMs: 180_000,
};

const label = "The speech server";
const pcmSampleRate = 24_000;
const listBytes = 4 * 1024 * 1024;
const listFreshMs = 300_000;
const longestText = 4_000;

export interface SpeechServerOptions {
  /** Without a trailing slash; `/v1` may be part of it. */
  url: string;
  apiKey: string | null;
  model: string;
  /** Where it is recorded whose cloned voices are. Left out: nowhere. */
  clonesPath?: string;
  times?: Partial<SpeechServerTimes>;
}

function faultOf(status: number): VoiceFault {
  if (status === 401 || status === 403) return "key";
  if (status === 402) return "credit";
  if (status === 429) return "busy";
  return status >= 400 && status < 500 ? "request" : "unreachable";
}

const refusedReasons: Partial<Record<VoiceFault, string>> = {
  key: "The speech server does not accept the box's key.",
  timeout: "The speech server took too long to list its voices.",
};

const failedStates: Partial<Record<VoiceFault, VoiceListing["state"]>> = {
  key: "key_problem",
  timeout: "timed_out",
  busy: "refused",
  request: "refused",
};
const recordBroken = "The box's record of cloned voices (voice-clones.json) cannot be read.";

export class SpeechServerVoice implements VoiceProvider {
  readonly id = "local";
  readonly label = "Speech server";
  /** Where its API answers: `…/v1`. */
  readonly base: string;
  readonly http = new VoiceHttp(label);
  readonly clones: CloneRecord;
  readonly #options: SpeechServerOptions;
  readonly #times: SpeechServerTimes;
  readonly #openedAtMs = performance.now();
  readonly #closing = new AbortController();
  #voices: ServerVoice[] | null = null;
  #listedAtMs = 0;
  #fault: VoiceFault | null = null;
  #listing: Promise<VoiceListing> | null = null;
  /** The look after the one under way. */
  #next: Promise<VoiceListing> | null = null;
  #failedAtMs = -Infinity;
  #retry: NodeJS.Timeout | undefined;
  /** What the server was found to take: samples as they are, or only a WAV. */
  #format: "pcm" | "wav" = "pcm";

  private constructor(options: SpeechServerOptions, clones: CloneRecord) {
    this.#options = options;
    this.clones = clones;
    this.#times = { ...usualTimes, ...options.times };
    this.base = `${options.url.replace(/\/v1$/, "")}/v1`;
  }

  /** Never rejects: a server that is not there yet is looked for again. */
  static async open(options: SpeechServerOptions): Promise<SpeechServerVoice> {
    const engine = new SpeechServerVoice(options, await CloneRecord.open(options.clonesPath ?? null));
    await engine.list({ refresh: true });
    return engine;
  }

  get model(): string {
    return this.#options.model;
  }

  get headers(): Record<string, string> {
    const { apiKey } = this.#options;
    return apiKey === null ? {} : { Authorization: `Bearer ${apiKey}` };
  }

  state(): EngineState {
    if (this.clones.broken) return { state: "unavailable", detail: recordBroken };
    if (this.#fault === null && this.#voices !== null) return { state: "ready", detail: "" };
    if (this.#starting) return { state: "starting", detail: "The speech server is starting." };
    return {
      state: "unavailable",
      detail: refusedReasons[this.#fault ?? "unreachable"] ?? "The speech server cannot be reached.",
    };
  }

  /** Every name while the server has not said which it has. */
  has(voice: string): boolean {
    return (
      this.#voices?.some((one) => one.voice.id === voice) ?? (voice.trim() !== "" && voice.length <= 200)
    );
  }

  mayUse(voice: string, account: string | null): boolean {
    if (this.clones.broken) return false;
    const owner = this.#ownerOf(voice);
    return owner === null || (account !== null && owner === ownerMark(account));
  }

  /** What the server listed last, whoever may know of it. */
  get listed(): string[] {
    return (this.#voices ?? []).map(({ voice }) => voice.id);
  }

  defaultVoice(_avatar: string | null, language?: Language): string | null {
    const first = this.#voices?.find(({ voice }) => voice.recommended && this.mayUse(voice.id, null))?.voice;
    return first ? this.inLanguage(first.id, language ?? this.languageOf(first.id) ?? "en") : null;
  }

  languageOf(voice: string): Language | null {
    return callLanguageOf(this.#row(voice)?.language ?? "");
  }

  /** A voice that names no language speaks them all. */
  inLanguage(voice: string, language: Language): string {
    const row = this.#row(voice);
    const speaks = callLanguageOf(row?.language ?? "");
    if (!row || speaks === null || speaks === language) return voice;
    const others = (this.#voices ?? [])
      .map((one) => one.voice)
      .filter((one) => callLanguageOf(one.language) === language && this.mayUse(one.id, null));
    return (others.find(({ gender }) => gender === row.gender) ?? others[0])?.id ?? voice;
  }

  async list({ refresh }: { refresh: boolean }): Promise<VoiceListing> {
    if (this.clones.broken) return { state: "unreachable", reason: recordBroken, voices: [] };
    const now = performance.now();
    if (refresh && this.#listing) {
      // What is under way may have begun before there was what is looked for.
      this.#next ??= this.#listing.then(() => {
        this.#next = null;
        return this.#begin();
      });
      return this.#next;
    }
    const fresh = now - this.#listedAtMs < listFreshMs;
    if (!refresh && fresh && this.#fault === null && this.#voices) return this.#told(this.#voices);
    const failed = now - this.#failedAtMs < limits.voiceCatalogueFailedSeconds * 1000;
    if (!refresh && failed && this.#fault !== null) return this.#failed(this.#fault);
    return this.#begin();
  }

  async *synthesize({ text, voice: wanted, signal }: SpeechRequest): AsyncGenerator<Pcm, void, undefined> {
    const script = languageOfScript(text);
    const voice = script ? this.inLanguage(wanted, script) : wanted;
    const input = speakable(text).slice(0, longestText);
    if (input === "" || signal.aborted) return;
    try {
      const answer = await this.#speak({ input, voice, signal });
      let said = false;
      for await (const pcm of decoded(answer)) {
        if (signal.aborted) return;
        said = true;
        yield pcm;
      }
      if (!said) throw new VoiceFailure(label, "unreachable");
    } catch (error) {
      if (signal.aborted) return;
      // Gone, perhaps: turns are refused until it is seen again.
      if (error instanceof VoiceFailure && error.fault === "unreachable" && isConnection(error.cause))
        this.#away("unreachable");
      throw error instanceof VoiceFailure ? error : new VoiceFailure(label, "unreachable", { cause: error });
    }
  }

  close(): Promise<void> {
    this.#closing.abort();
    clearTimeout(this.#retry);
    this.http.close();
    return Promise.resolve();
  }

  get #starting(): boolean {
    const early = performance.now() - this.#openedAtMs < this.#times.startingMs;
    return early && this.#voices === null && this.#fault !== "key";
  }

  #begin(): Promise<VoiceListing> {
    this.#listing ??= this.#look().finally(() => (this.#listing = null));
    return this.#listing;
  }

  /** The mark of a voice's account; null where it is everybody's. */
  #ownerOf(voice: string): string | null {
    const listed = this.#voices?.find((one) => one.voice.id === voice)?.owner;
    return this.clones.get(voice)?.owner ?? listed ?? ownerOf(voice);
  }

  #row(voice: string): ListedVoice | undefined {
    return this.#voices?.find((one) => one.voice.id === voice)?.voice;
  }

  #told(known: ServerVoice[]): VoiceListing {
    const voices = known.map(({ voice }) => voice);
    if (voices.length > 0) return { state: "ready", reason: "", voices };
    return { state: "empty", reason: "The speech server has no voices.", voices };
  }

  async #look(): Promise<VoiceListing> {
    clearTimeout(this.#retry);
    try {
      const voices = await this.#fetchVoices();
      this.#voices = voices;
      this.#listedAtMs = performance.now();
      this.#fault = null;
      return this.#told(voices);
    } catch (error) {
      const fault = error instanceof VoiceFailure ? error.fault : "unreachable";
      this.#failedAtMs = performance.now();
      this.#away(fault);
      return this.#failed(fault);
    }
  }

  #failed(fault: VoiceFault): VoiceListing {
    if (this.#starting) return { state: "starting", reason: "The speech server is starting.", voices: [] };
    const reason = refusedReasons[fault] ?? "The speech server cannot be reached.";
    return { state: failedStates[fault] ?? "unreachable", reason, voices: [] };
  }

  #away(fault: VoiceFault): void {
    this.#fault = fault;
    clearTimeout(this.#retry);
    if (this.#closing.signal.aborted) return;
    this.#retry = setTimeout(() => void this.list({ refresh: true }), this.#times.retryMs);
    this.#retry.unref();
  }

  async #fetchVoices(): Promise<ServerVoice[]> {
    for (const path of ["/audio/voices", "/voices"]) {
      const answer = await this.http.ask({
        url: this.base + path,
        headers: this.headers,
        signal: this.#closing.signal,
        answerWithinMs: this.#times.listMs,
        silenceMs: this.#times.listMs,
        wholeWithinMs: this.#times.listMs * 2,
      });
      if (answer.status === 404 || answer.status === 405) {
        answer.discard();
        continue;
      }
      if (!answer.ok) {
        answer.discard();
        throw new VoiceFailure(label, faultOf(answer.status));
      }
      const voices = readListing(await answer.json(listBytes), (id) => this.clones.get(id));
      if (!voices) throw new VoiceFailure(label, "unreachable");
      return voices;
    }
    return usualListing(this.clones.all);
  }

  async #speak({
    input,
    voice,
    signal,
  }: {
    input: string;
    voice: string;
    signal: AbortSignal;
  }): Promise<VoiceAnswer> {
    const { firstAudioMs, silenceMs, wholeMs } = this.#times;
    const format = this.#format;
    const answer = await this.http.ask({
      url: `${this.base}/audio/speech`,
      headers: this.headers,
      // `stream_format` is OpenAI's own; servers that know it answer as they speak, others do so anyway or ignore it.
      body: {
        model: this.#options.model,
        input,
        voice,
        response_format: format,
        ...(format === "pcm" ? { stream_format: "audio" } : {}),
      },
      signal,
      answerWithinMs: firstAudioMs,
      silenceMs,
      wholeWithinMs: wholeMs,
    });
    if (answer.ok) return answer;
    answer.discard();
    if (format === "pcm" && (answer.status === 400 || answer.status === 422)) {
      // It may speak no raw samples; if a WAV is refused as well, that was not the reason.
      this.#format = "wav";
      try {
        return await this.#speak({ input, voice, signal });
      } catch (error) {
        this.#format = "pcm";
        throw error;
      }
    }
    throw new VoiceFailure(label, answer.status === 404 ? "voice" : faultOf(answer.status));
  }
}

function isConnection(error: unknown): boolean {
  return ["ECONNREFUSED", "EHOSTUNREACH", "ENETUNREACH"].includes(
    (error as NodeJS.ErrnoException)?.code ?? "",
  );
}

/** Samples of an answer, which says itself what it is: a WAV wherever it begins like one, else what its type says. */
async function* decoded(answer: VoiceAnswer): AsyncGenerator<Pcm, void, undefined> {
  if (/json|text|html|xml|mpeg|mp3|ogg|opus|flac|aac|mp4/.test(answer.type)) {
    answer.discard();
    throw new VoiceFailure(label, "unreachable");
  }
  let reader: PcmReader | WavReader | null = null;
  let head: Buffer = Buffer.alloc(0);
  for await (const piece of answer.pieces()) {
    let bytes = piece;
    if (!reader) {
      head = Buffer.concat([head, piece]);
      if (head.length < 4) continue;
      const wav = head.toString("latin1", 0, 4) === "RIFF";
      reader = wav ? new WavReader() : new PcmReader(sampleRateOf(answer));
      bytes = head;
    }
    const pcm = reader.push(bytes);
    if (pcm) yield pcm;
  }
}

function sampleRateOf({ headers }: VoiceAnswer): number {
  const stated = /rate=(\d+)/i.exec(headers["content-type"] ?? "")?.[1] ?? headers["x-sample-rate"];
  const rate = Number(stated ?? pcmSampleRate);
  if (Number.isInteger(rate) && rate >= 8_000 && rate <= 48_000) return rate;
  throw new VoiceFailure(label, "unreachable");
}
