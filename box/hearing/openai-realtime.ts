// OpenAI's realtime transcription: the service hears turns by itself.

import { z } from "zod";
import type { Language } from "../../contract/tones.ts";
import type { Log } from "../ops/log.ts";
import { HostedProvider, type HostedRecognition, type RecognitionUse } from "./hosted/provider.ts";
import type { Line, RefusalKind } from "../providers/line.ts";
import { openLine, RecognitionRefused } from "./hosted/refusal.ts";
import { HostedStream, type LineEvents } from "./hosted/stream.ts";
import { SpokenItems } from "./hosted/spoken-items.ts";
import { Upsampler } from "./hosted/upsample.ts";
import { RecognitionError, type RecognitionEvent } from "./recogniser.ts";

const sampleRate = 16_000;
/** Above what a new line hears again at once, twenty seconds of 24 kHz PCM in base64. */
const queueBytes = 4 * 1024 * 1024;
/** With nobody speaking, this much is kept for a new line: the service hears a word from a little before it. */
const quietSamples = 2 * sampleRate;
/** Sent after a drop, so that no speech behind it can begin before it: the service counts a little before speech in. */
const dividingSamples = sampleRate / 2;
/** Turns in a row whose words the service could not give. */
const failuresInARow = 5;

const messageSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("session.updated") }),
  z.object({
    type: z.literal("input_audio_buffer.speech_started"),
    item_id: z.string(),
    audio_start_ms: z.number(),
  }),
  z.object({
    type: z.literal("input_audio_buffer.speech_stopped"),
    item_id: z.string(),
    audio_end_ms: z.number(),
  }),
  z.object({
    type: z.literal("input_audio_buffer.committed"),
    item_id: z.string(),
    previous_item_id: z.string().nullish(),
  }),
  z.object({
    type: z.literal("conversation.item.input_audio_transcription.delta"),
    item_id: z.string(),
    delta: z.string().default(""),
  }),
  z.object({
    type: z.literal("conversation.item.input_audio_transcription.completed"),
    item_id: z.string(),
    transcript: z.string(),
  }),
  z.object({
    type: z.literal("conversation.item.input_audio_transcription.failed"),
    item_id: z.string(),
    error: z.object({ code: z.string().nullish() }).nullish(),
  }),
  z.object({
    type: z.literal("error"),
    error: z.object({ type: z.string().nullish(), code: z.string().nullish() }),
  }),
]);
type Message = z.infer<typeof messageSchema>;

/** Errors after which no other line would do better. */
const hopeless: Partial<Record<string, RefusalKind>> = {
  invalid_api_key: "key",
  insufficient_quota: "credit",
  billing_hard_limit_reached: "credit",
  model_not_found: "configuration",
};
const busy = new Set(["rate_limit_exceeded", "rate_limit_error", "too_many_requests"]);

export interface OpenAiRealtimeOptions {
  apiKey: string;
  url: string;
  model: string;
  log: Log;
  openWithinMs?: number;
  /** How long a turn's words are waited for before the turns behind it go ahead. */
  wordsWithinMs?: number;
}

export class OpenAiRealtime extends HostedProvider {
  readonly id = "openai_realtime";
  readonly mode = "openai_realtime";
  readonly #options: OpenAiRealtimeOptions;

  constructor(options: OpenAiRealtimeOptions) {
    super();
    this.#options = options;
  }

  protected override recognition(use: RecognitionUse): HostedRecognition {
    return new OpenAiRecognition(this.#options, use);
  }
}

function parse(text: string): Message | undefined {
  try {
    return messageSchema.safeParse(JSON.parse(text)).data;
  } catch {
    return undefined;
  }
}

function sessionUpdate(model: string, language: Language, detection: "semantic_vad" | "server_vad"): string {
  return JSON.stringify({
    type: "session.update",
    session: {
      type: "transcription",
      audio: {
        input: {
          format: { type: "audio/pcm", rate: 24_000 },
          noise_reduction: { type: "near_field" },
          transcription: { model, language },
          turn_detection: { type: detection },
        },
      },
    },
  });
}

/** A line whose session is set up: the service has said so. */
async function openSession(
  { apiKey, url, model, openWithinMs = 8_000 }: OpenAiRealtimeOptions,
  use: { language: Language; signal: AbortSignal } & LineEvents,
): Promise<Line> {
  const address = new URL(url);
  address.searchParams.set("intent", "transcription");
  // A model in the address would make it a session of conversation.
  address.searchParams.delete("model");
  const ready = Promise.withResolvers<void>();
  ready.promise.catch(() => undefined);
  let set = false;
  let detection: "semantic_vad" | "server_vad" = "semantic_vad";
  const line: Promise<Line> = openLine({
    url: address,
    headers: { Authorization: `Bearer ${apiKey}` },
    signal: use.signal,
    queueBytes,
    openWithinMs,
    onText: (text) => {
      if (set) {
        use.onText(text);
        return;
      }
      const message = parse(text);
      if (message?.type === "session.updated") {
        set = true;
        ready.resolve();
      } else if (message?.type === "error") {
        const kind = kindOf(message.error);
        if (kind !== "configuration" || detection === "server_vad") {
          ready.reject(new RecognitionRefused(kind));
          return;
        }
        // Not every model has its turns found by meaning.
        detection = "server_vad";
        void line.then((opened) => opened.send(sessionUpdate(model, use.language, detection)));
      }
    },
    onLost: (why) => {
      if (set) use.onLost(why);
      else ready.reject(new RecognitionRefused("unavailable"));
    },
  });
  const opened = await line;
  const timer = setTimeout(() => ready.reject(new RecognitionRefused("timeout")), openWithinMs);
  const onAbort = () => ready.reject(new RecognitionRefused("unreachable"));
  use.signal.addEventListener("abort", onAbort, { once: true });
  try {
    opened.send(sessionUpdate(model, use.language, detection));
    await ready.promise;
    return opened;
  } catch (error) {
    await opened.close();
    throw error;
  } finally {
    clearTimeout(timer);
    use.signal.removeEventListener("abort", onAbort);
  }
}

function kindOf({ type, code }: { type?: string | null; code?: string | null }): RefusalKind {
  if (code && hopeless[code]) return hopeless[code];
  if (busy.has(code ?? "") || busy.has(type ?? "")) return "busy";
  return type === "server_error" ? "unavailable" : "configuration";
}

class OpenAiRecognition implements HostedRecognition {
  readonly #stream: HostedStream;
  readonly #items: SpokenItems;
  readonly #options: OpenAiRealtimeOptions;
  readonly #onEvent: (event: RecognitionEvent) => void;
  readonly #onClosed: () => void;
  #upsampler = new Upsampler();
  #lineFrom = 0;
  /** Speech that began before this sample counts no more, also where the service has yet to say that it began. */
  #droppedAt = 0;
  #failures = 0;
  /** The next speech is one that a lost line had told of already. */
  #toldOfSpeech = false;
  #closed = false;

  constructor(options: OpenAiRealtimeOptions, use: RecognitionUse) {
    this.#options = options;
    this.#onEvent = use.onEvent;
    this.#onClosed = use.onClosed;
    this.#items = new SpokenItems({
      wordsWithinMs: options.wordsWithinMs ?? 10_000,
      onTurn: (text, endedAt) => {
        if (endedAt !== null) this.#stream.kept.forget(endedAt);
        if (text !== "") this.#onEvent({ case: "turn", text });
      },
    });
    this.#stream = new HostedStream({
      language: use.language,
      log: options.log,
      dial: (dialling) => openSession(options, dialling),
      encode: (samples) => this.#encode(samples),
      onLine: (from) => {
        this.#lineFrom = from;
        this.#upsampler = new Upsampler();
        this.#toldOfSpeech = this.#items.busy;
        // The new line hears them again.
        this.#items.clear();
      },
      onReplayed: () => undefined,
      onText: (text) => this.#heard(text),
      onFailed: (message) => {
        this.#items.clear();
        this.#onEvent({ case: "failed", message });
      },
    });
  }

  start(): Promise<void> {
    return this.#stream.start();
  }

  push(samples: Int16Array): void {
    this.#stream.push(samples);
    const { kept } = this.#stream;
    if (!this.#items.busy) kept.forget(kept.end - quietSamples);
  }

  settle(): Promise<string> {
    return Promise.reject(new RecognitionError("This speech recognition service ends turns by itself."));
  }

  drop(): void {
    this.#items.forsake();
    const { kept } = this.#stream;
    this.#droppedAt = kept.end;
    this.#toldOfSpeech = false;
    kept.forget(kept.end);
    this.#stream.send('{"type":"input_audio_buffer.clear"}');
    this.#stream.push(new Int16Array(dividingSamples));
  }

  setLanguage(language: Language): void {
    if (language === this.#stream.language || this.#closed) return;
    this.#stream.want(language);
    const transcription = { model: this.#options.model, language };
    const session = { type: "transcription", audio: { input: { transcription } } };
    this.#stream.send(JSON.stringify({ type: "session.update", session }));
  }

  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    this.#items.clear();
    await this.#stream.close();
    this.#onClosed();
  }

  #encode(samples: Int16Array): string {
    const out = this.#upsampler.push(samples);
    const bytes = Buffer.alloc(out.length * 2);
    for (let index = 0; index < out.length; index++) bytes.writeInt16LE(out[index] ?? 0, index * 2);
    return `{"type":"input_audio_buffer.append","audio":"${bytes.toString("base64")}"}`;
  }

  #heard(text: string): void {
    const message = parse(text);
    switch (message?.type) {
      case "input_audio_buffer.speech_started":
        if (this.#lineFrom + Math.round(message.audio_start_ms * 16) < this.#droppedAt) {
          this.#items.leave(message.item_id);
          break;
        }
        this.#items.began(message.item_id);
        if (!this.#toldOfSpeech) this.#onEvent({ case: "speech_started" });
        this.#toldOfSpeech = false;
        break;
      case "input_audio_buffer.speech_stopped":
        this.#items.stopped(message.item_id, this.#lineFrom + Math.round(message.audio_end_ms * 16));
        break;
      case "input_audio_buffer.committed":
        this.#items.committed(message.item_id, message.previous_item_id ?? null);
        break;
      case "conversation.item.input_audio_transcription.delta":
        this.#stream.worked();
        this.#items.delta(message.item_id, message.delta);
        break;
      case "conversation.item.input_audio_transcription.completed":
        this.#stream.worked();
        this.#failures = 0;
        this.#items.completed(message.item_id, message.transcript);
        break;
      case "conversation.item.input_audio_transcription.failed":
        this.#items.completed(message.item_id, null);
        this.#complain(message.error?.code ?? null);
        if (++this.#failures >= failuresInARow)
          this.#stream.fail(new RecognitionRefused("unavailable").message);
        break;
      case "error":
        this.#complain(message.error.code ?? null);
        break;
      default:
    }
  }

  /** Most errors leave the session as it is. Their words stay out of the log: they may repeat a secret. */
  #complain(code: string | null): void {
    const kind = hopeless[code ?? ""];
    this.#options.log.warn({ kind: kind ?? "passing" }, "the speech recognition service reported an error");
    if (kind) this.#stream.fail(new RecognitionRefused(kind).message);
  }
}
