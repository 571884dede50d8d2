// Speech that arrives on a socket, for whoever speaks it: in order, in time, and with an end.

import { VoiceFailure, type VoiceFault } from "../failure.ts";

/** A minute of speech at 24 kHz; no clause has half of that. */
const mostBytes = 3 * 1024 * 1024;

export interface SpeechTimes {
  firstAudioMs: number;
  silenceMs: number;
  wholeMs: number;
}

export class SpeechQueue {
  readonly #label: string;
  readonly #times: SpeechTimes;
  readonly #pieces: Buffer[] = [];
  #bytes = 0;
  #ended = false;
  #fault: VoiceFault | null = null;
  #lost = false;
  #wake: () => void = () => undefined;

  constructor(label: string, times: SpeechTimes) {
    this.#label = label;
    this.#times = times;
  }

  /** The socket went while it was waited for. */
  get lost(): boolean {
    return this.#lost;
  }

  push(piece: Buffer): void {
    this.#bytes += piece.length;
    if (this.#bytes > mostBytes) this.fail("unreachable");
    else if (piece.length > 0) this.#pieces.push(piece);
    this.#wake();
  }

  end(): void {
    this.#ended = true;
    this.#wake();
  }

  fail(fault: VoiceFault): void {
    this.#fault ??= fault;
    this.#wake();
  }

  lose(): void {
    this.#lost = true;
    this.fail("unreachable");
  }

  /** Ends early, without failing, when the signal aborts. Throws VoiceFailure. */
  async *pieces(signal: AbortSignal): AsyncGenerator<Buffer, void, undefined> {
    const { firstAudioMs, silenceMs, wholeMs } = this.#times;
    const endsAtMs = performance.now() + wholeMs;
    const stop = () => this.#wake();
    signal.addEventListener("abort", stop);
    try {
      for (let waitMs = firstAudioMs; ; waitMs = silenceMs) {
        const inTime = await this.#arrival(signal, Math.min(waitMs, endsAtMs - performance.now()));
        if (signal.aborted) return;
        // What arrived before a failure is heard before it.
        const piece = this.#pieces.shift();
        if (piece) yield piece;
        else if (this.#fault !== null) throw new VoiceFailure(this.#label, this.#fault);
        else if (this.#ended) return;
        else if (!inTime) throw new VoiceFailure(this.#label, "timeout");
      }
    } finally {
      signal.removeEventListener("abort", stop);
    }
  }

  get #ready(): boolean {
    return this.#pieces.length > 0 || this.#ended || this.#fault !== null;
  }

  /** False when nothing came in time. */
  async #arrival(signal: AbortSignal, waitMs: number): Promise<boolean> {
    const endsAtMs = performance.now() + waitMs;
    while (!this.#ready && !signal.aborted) {
      const leftMs = endsAtMs - performance.now();
      if (leftMs <= 0) return false;
      const woken = Promise.withResolvers<void>();
      this.#wake = () => woken.resolve();
      const timer = setTimeout(this.#wake, leftMs);
      await woken.promise;
      clearTimeout(timer);
    }
    return true;
  }
}
