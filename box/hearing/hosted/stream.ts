// A recognition's way to its service: what was not understood yet is kept, and a lost line is opened once more.

import type { Language } from "../../../contract/tones.ts";
import type { Log } from "../../ops/log.ts";
import { KeptAudio } from "./kept-audio.ts";
import type { Line } from "../../providers/line.ts";
import { RecognitionRefused } from "./refusal.ts";

const sampleRate = 16_000;
const keptSeconds = 20;
/** A line that keeps being lost is given up, even when every new one works for a moment. */
const reopeningsPerMinute = 5;
/** A line that has lived this long works, even when nobody spoke. */
const provenAfterMs = 10_000;
const lostForGood = "The connection to the speech recognition service was lost.";

/** What a line tells the stream that it belongs to. */
export interface LineEvents {
  onText(text: string): void;
  onLost(why: string): void;
}

export interface StreamOptions {
  language: Language;
  log: Log;
  /** A line that takes audio. Rejects with RecognitionRefused. */
  dial(options: { language: Language; signal: AbortSignal } & LineEvents): Promise<Line>;
  /** Before the first audio of a new line, which begins at sample `from`. */
  onLine(from: number): void;
  /** After the kept audio went over a new line. */
  onReplayed(): void;
  encode(samples: Int16Array): Uint8Array | string;
  onText(text: string): void;
  /** Once: it is over. */
  onFailed(message: string): void;
}

export class HostedStream {
  readonly kept = new KeptAudio(keptSeconds * sampleRate);
  readonly #options: StreamOptions;
  readonly #closing = new AbortController();
  /** When lines were opened again, in the last minute. */
  readonly #reopenedAtMs: number[] = [];
  #line: Line | null = null;
  #opening: Promise<void> | null = null;
  #generation = 0;
  #language: Language;
  #wanted: Language;
  /** There was a result since a line was last opened again, so losing one earns another. */
  #worked = true;
  #openedAtMs = 0;
  #holding = false;
  #failure: string | null = null;
  #sent = false;

  constructor(options: StreamOptions) {
    this.#options = options;
    this.#language = options.language;
    this.#wanted = options.language;
  }

  get failure(): string | null {
    return this.#failure;
  }

  get language(): Language {
    return this.#wanted;
  }

  /** Whether anything was sent since the last time this was asked. */
  takeSent(): boolean {
    const sent = this.#sent;
    this.#sent = false;
    return sent;
  }

  /** Opens the first line. Rejects with RecognitionRefused. */
  start(): Promise<void> {
    return this.#open();
  }

  push(samples: Int16Array): void {
    if (this.#failure !== null || this.#closing.signal.aborted) return;
    this.kept.push(samples);
    if (!this.#holding) this.send(this.#line && this.#options.encode(samples));
  }

  send(data: Uint8Array | string | null): void {
    if (data === null || !this.#line) return;
    this.#sent = true;
    this.#line.send(data);
  }

  /** The service understands; a line lost from here on is opened again. */
  worked(): void {
    this.#worked = true;
  }

  /** From now on audio is only kept, until the next line. */
  hold(): void {
    this.#holding = true;
  }

  /** Lines opened from now on use this language. */
  want(language: Language): void {
    this.#wanted = language;
  }

  /** Another line in place of this one; the new one hears what is kept. A refused language leaves the old one. */
  async redial(): Promise<void> {
    const old = this.#line;
    this.#line = null;
    this.#generation++;
    await old?.close();
    await this.#reopen();
  }

  /** Ends the line in use, as if it had been lost. */
  dropLine(why: string): void {
    this.#line?.drop(why);
  }

  fail(message: string): void {
    if (this.#failure !== null || this.#closing.signal.aborted) return;
    this.#failure = message;
    const line = this.#line;
    this.#line = null;
    this.#generation++;
    this.kept.forget(this.kept.end);
    void line?.close();
    this.#options.onFailed(message);
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const line = this.#line;
    this.#line = null;
    this.#generation++;
    this.kept.forget(this.kept.end);
    await Promise.all([line?.close(), this.#opening?.catch(() => undefined)]);
  }

  #open(): Promise<void> {
    const opening = this.#dial().finally(() => {
      this.#opening = null;
    });
    this.#opening = opening;
    return opening;
  }

  async #dial(): Promise<void> {
    const { dial, encode, onLine, onReplayed, onText } = this.#options;
    for (;;) {
      const language = this.#wanted;
      const generation = ++this.#generation;
      const current = () => generation === this.#generation;
      const line = await dial({
        language,
        signal: this.#closing.signal,
        onText: (text) => {
          if (current()) onText(text);
        },
        onLost: (why) => {
          if (current()) this.#lost(why);
        },
      });
      if (this.#closing.signal.aborted) {
        await line.close();
        throw new RecognitionRefused("unreachable");
      }
      if (language !== this.#wanted || !current()) {
        await line.close();
        if (this.#failure !== null) throw new RecognitionRefused("unreachable");
        continue;
      }
      this.#line = line;
      this.#language = language;
      this.#openedAtMs = performance.now();
      this.#holding = false;
      onLine(this.kept.start);
      for (const piece of this.kept.pieces()) this.send(encode(piece));
      onReplayed();
      return;
    }
  }

  /** Never rejects. */
  async #reopen(): Promise<void> {
    if (this.#opening || this.#failure !== null || this.#closing.signal.aborted) return;
    const before = this.#language;
    try {
      await this.#open();
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      const kind = error instanceof RecognitionRefused ? error.kind : "unavailable";
      this.#options.log.warn({ kind }, "a speech recognition line was not opened again");
      if (kind === "configuration" && this.#wanted !== before) {
        this.#wanted = before;
        return this.#reopen();
      }
      this.fail(new RecognitionRefused(kind).message);
    }
  }

  #lost(why: string): void {
    this.#line = null;
    this.#generation++;
    this.#options.log.warn({ why }, "a speech recognition line was lost");
    const now = performance.now();
    const worked = this.#worked || now - this.#openedAtMs > provenAfterMs;
    this.#worked = false;
    while (this.#reopenedAtMs[0] !== undefined && now - this.#reopenedAtMs[0] > 60_000)
      this.#reopenedAtMs.shift();
    if (!worked || this.#reopenedAtMs.length >= reopeningsPerMinute) {
      this.fail(lostForGood);
      return;
    }
    this.#reopenedAtMs.push(now);
    void this.#reopen();
  }
}
