// Deepgram's live transcription: PCM up, interim and final results down.

import { z } from "zod";
import type { Language } from "../../contract/tones.ts";
import type { Log } from "../ops/log.ts";
import { HostedProvider, type HostedRecognition, type RecognitionUse } from "./hosted/provider.ts";
import { openLine } from "./hosted/refusal.ts";
import { HostedStream } from "./hosted/stream.ts";
import { RecognitionError, type RecognitionEvent } from "./recogniser.ts";

const sampleRate = 16_000;
/** A result that ends this close to the end of what was sent covers all of it. */
const toleranceSamples = sampleRate / 50;
/** A flushed result may leave out silence at its end. */
const flushedToleranceSamples = sampleRate / 4;
/** With the speech found over by the service and no more than this since, little can be left to understand. */
const restSamples = sampleRate;
/** About a minute of audio. */
const queueBytes = 2 * 1024 * 1024;

const wordSchema = z.object({
  word: z.string(),
  punctuated_word: z.string().optional(),
  start: z.number(),
  end: z.number(),
});

const messageSchema = z.discriminatedUnion("type", [
  z.object({
    type: z.literal("Results"),
    start: z.number(),
    duration: z.number(),
    is_final: z.boolean().default(false),
    speech_final: z.boolean().default(false),
    from_finalize: z.boolean().default(false),
    channel: z.object({
      alternatives: z.array(z.object({ transcript: z.string(), words: z.array(wordSchema).default([]) })),
    }),
  }),
  z.object({ type: z.literal("Error") }),
]);
type Results = Extract<z.infer<typeof messageSchema>, { type: "Results" }>;

export interface DeepgramOptions {
  apiKey: string;
  url: string;
  model: string;
  log: Log;
  openWithinMs?: number;
  /** How long the words at the end of a turn are waited for. */
  settleWithinMs?: number;
  /** The same once the service has found the speech over: it may have nothing to answer then. */
  restWithinMs?: number;
  /** The service ends a line on which nothing came for ten seconds. */
  keepAliveEveryMs?: number;
}

export class Deepgram extends HostedProvider {
  readonly id = "deepgram";
  readonly mode = null;
  readonly #options: DeepgramOptions;

  constructor(options: DeepgramOptions) {
    super();
    this.#options = options;
  }

  protected override recognition(use: RecognitionUse): HostedRecognition {
    return new DeepgramRecognition(this.#options, use);
  }
}

/** The address of a stream; the key travels in a header. */
function streamUrl({ url, model }: DeepgramOptions, language: Language): URL {
  const address = new URL(url);
  const query = {
    model,
    language,
    encoding: "linear16",
    sample_rate: String(sampleRate),
    channels: "1",
    interim_results: "true",
    punctuate: "true",
    smart_format: "true",
    // Formatting shall not hold numbers back.
    no_delay: "true",
    endpointing: "300",
  };
  for (const [name, value] of Object.entries(query)) address.searchParams.set(name, value);
  return address;
}

/** PCM as the wire has it: little endian, whatever the machine. */
function linear16(samples: Int16Array): Uint8Array {
  const bytes = Buffer.alloc(samples.length * 2);
  for (let index = 0; index < samples.length; index++) bytes.writeInt16LE(samples[index] ?? 0, index * 2);
  return bytes;
}

interface Settling {
  /** The turn ends with this sample. */
  upTo: number;
  done(): void;
}

class DeepgramRecognition implements HostedRecognition {
  readonly #stream: HostedStream;
  readonly #settleWithinMs: number;
  readonly #restWithinMs: number;
  readonly #keepAlive: NodeJS.Timeout;
  readonly #onEvent: (event: RecognitionEvent) => void;
  readonly #onClosed: () => void;
  readonly #log: Log;
  #finals: string[] = [];
  #interim = "";
  #told = "";
  /** Where the line in use began, where the turn began, and how far everything is final. */
  #lineFrom = 0;
  #turnFrom = 0;
  #finalUpTo = 0;
  /** The service found the speech over, and has heard no words since. */
  #speechOver = false;
  #settling: Settling | null = null;
  #settled: Promise<unknown> = Promise.resolve();
  #closed = false;

  constructor(options: DeepgramOptions, use: RecognitionUse) {
    this.#settleWithinMs = options.settleWithinMs ?? 1_000;
    this.#restWithinMs = options.restWithinMs ?? 250;
    this.#onEvent = use.onEvent;
    this.#onClosed = use.onClosed;
    this.#log = options.log;
    this.#stream = new HostedStream({
      language: use.language,
      log: options.log,
      encode: linear16,
      dial: ({ language, ...events }) =>
        openLine({
          ...events,
          url: streamUrl(options, language),
          headers: { Authorization: `Token ${options.apiKey}` },
          queueBytes,
          ...(options.openWithinMs === undefined ? {} : { openWithinMs: options.openWithinMs }),
        }),
      onLine: (from) => {
        this.#lineFrom = from;
      },
      onReplayed: () => {
        if (this.#settling) this.#finalize();
      },
      onText: (text) => this.#heard(text),
      onFailed: (message) => {
        clearInterval(this.#keepAlive);
        this.#settling?.done();
        this.#onEvent({ case: "failed", message });
      },
    });
    this.#keepAlive = setInterval(() => {
      if (!this.#stream.takeSent()) this.#stream.send('{"type":"KeepAlive"}');
    }, options.keepAliveEveryMs ?? 3_000);
  }

  start(): Promise<void> {
    return this.#stream.start();
  }

  push(samples: Int16Array): void {
    this.#stream.push(samples);
  }

  settle(): Promise<string> {
    const settled = this.#settled.then(() => this.#settle());
    this.#settled = settled.catch(() => undefined);
    return settled;
  }

  drop(): void {
    if (this.#finalUpTo < this.#stream.kept.end) this.#finalize();
    this.#take(this.#stream.kept.end);
    this.#settling?.done();
  }

  setLanguage(language: Language): void {
    if (language === this.#stream.language || this.#closed) return;
    this.#stream.want(language);
    void this.#changeLanguage();
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearInterval(this.#keepAlive);
    this.#settling?.done();
    this.#stream.send('{"type":"CloseStream"}');
    await this.#stream.close();
    this.#onClosed();
  }

  async #settle(): Promise<string> {
    const upTo = this.#stream.kept.end;
    const text = await this.#flush(upTo, () => this.#take(upTo));
    if (this.#stream.failure !== null) throw new RecognitionError(this.#stream.failure);
    return text;
  }

  /**
   * Waits until everything up to a sample is final, or until that takes too long. `then` runs at that very moment,
   * before any later result is looked at.
   */
  #flush<Value>(upTo: number, then: () => Value): Promise<Value> {
    return new Promise((resolve) => {
      const rest = this.#speechOver && upTo - this.#finalUpTo < restSamples;
      const withinMs = rest ? this.#restWithinMs : this.#settleWithinMs;
      const timer = setTimeout(() => this.#settling?.done(), withinMs);
      this.#settling = {
        upTo,
        done: () => {
          clearTimeout(timer);
          this.#settling = null;
          resolve(then());
        },
      };
      const final = this.#finalUpTo >= upTo - toleranceSamples;
      if (final || this.#stream.failure !== null || this.#closed) this.#settling.done();
      else this.#finalize();
    });
  }

  #finalize(): void {
    this.#stream.send('{"type":"Finalize"}');
  }

  /** What was said in the old language becomes words of the old line; what follows waits for the new one. */
  async #changeLanguage(): Promise<void> {
    const flushed = this.#settled.then(() => {
      this.#stream.hold();
      return this.#flush(this.#stream.kept.end, () => undefined);
    });
    this.#settled = flushed;
    await flushed;
    if (!this.#closed && this.#stream.failure === null) await this.#stream.redial();
  }

  /** The turn's words; the next turn begins at the sample. */
  #take(upTo: number): string {
    const text = this.#text();
    this.#finals = [];
    this.#interim = "";
    this.#told = "";
    this.#turnFrom = Math.max(this.#turnFrom, upTo);
    this.#stream.kept.forget(upTo);
    return text;
  }

  #text(): string {
    const separator = this.#stream.language === "ja" ? "" : " ";
    return [...this.#finals, this.#interim].filter((part) => part !== "").join(separator);
  }

  #heard(text: string): void {
    let message: z.infer<typeof messageSchema> | undefined;
    try {
      message = messageSchema.safeParse(JSON.parse(text)).data;
    } catch {
      this.#log.warn("the speech recognition service sent what is no JSON");
    }
    if (message?.type === "Results") this.#result(message);
    else if (message?.type === "Error") this.#stream.dropLine("reported an error");
  }

  #result(result: Results): void {
    this.#stream.worked();
    const from = this.#lineFrom + Math.round(result.start * sampleRate);
    const end = from + Math.round(result.duration * sampleRate);
    // The answer to Finalize may be left out: then the first result behind its sample shows that it is done.
    if (this.#settling && from >= this.#settling.upTo - toleranceSamples && end > this.#settling.upTo) {
      this.#finalUpTo = Math.max(this.#finalUpTo, this.#settling.upTo);
      this.#settling.done();
    }
    const words = this.#wordsOf(result, from, end);
    if (words !== "" || result.speech_final) this.#speechOver = result.is_final && result.speech_final;
    if (result.is_final) {
      if (words !== "") this.#finals.push(words);
      this.#interim = "";
      this.#finalUpTo = Math.max(this.#finalUpTo, end);
      this.#stream.kept.forget(end);
    } else {
      this.#interim = words;
    }
    if (this.#settling) {
      const tolerance = result.from_finalize ? flushedToleranceSamples : toleranceSamples;
      if (result.is_final && end >= this.#settling.upTo - tolerance) this.#settling.done();
      return;
    }
    const all = this.#text();
    if (all === this.#told || all === "") return;
    this.#told = all;
    this.#onEvent({ case: "partial", text: all });
  }

  /** The words of a result that belong to this turn: a result may have begun in the one before. */
  #wordsOf({ channel }: Results, from: number, end: number): string {
    const [best] = channel.alternatives;
    if (!best || end <= this.#turnFrom) return "";
    if (from >= this.#turnFrom - toleranceSamples || best.words.length === 0) return best.transcript.trim();
    const separator = this.#stream.language === "ja" ? "" : " ";
    return best.words
      .filter(({ start }) => this.#lineFrom + start * sampleRate >= this.#turnFrom - toleranceSamples)
      .map((word) => word.punctuated_word ?? word.word)
      .join(separator);
  }
}
