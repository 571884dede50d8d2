// One thing the avatar says, from its first clause to its last sample heard.

import { setTimeout as sleep } from "node:timers/promises";
import type { Clause } from "../chat/speech.ts";
import { pauseAfterMs } from "../voices/speakable.ts";
import type { Pcm } from "../voices/voice.ts";
import type { ChosenVoice } from "../voices/voices.ts";
import type { LiveStage } from "./engine.ts";

/** Speech is made at most this far ahead of what is heard: an interrupt throws the rest away. */
const aheadMs = 30_000;

export interface UtteranceEnd {
  interrupted: boolean;
  /** The words that were heard. */
  heard: string;
}

interface Part {
  text: string;
  startMs: number;
  endMs: number;
}

export interface UtteranceOptions {
  stage: LiveStage;
  voice: ChosenVoice;
  correlationId: string | null;
  /** performance.now() when the turn was accepted. */
  acceptedAtMs: number;
}

/** The words of `parts` that lie before `playedMs`; a clause broken off in the middle counts by whole words. */
export function heardWords(parts: readonly Part[], playedMs: number): string {
  const words: string[] = [];
  for (const { text, startMs, endMs } of parts) {
    if (playedMs >= endMs) {
      words.push(text);
      continue;
    }
    const share = (playedMs - startMs) / (endMs - startMs);
    if (share > 0) {
      const cut = text.slice(0, Math.floor(text.length * share));
      const whole = /\s/.test(text) ? cut.replace(/\S*$/, "") : cut;
      if (whole.trim() !== "") words.push(whole.trim());
    }
    break;
  }
  return words.join(" ");
}

export class Utterance {
  readonly number: number;
  readonly correlationId: string | null;
  readonly acceptedAtMs: number;
  firstClauseAtMs: number | null = null;
  firstPcmAtMs: number | null = null;
  startedAtMs: number | null = null;
  readonly #stage: LiveStage;
  readonly #voice: ChosenVoice;
  readonly #stopped = new AbortController();
  readonly #ended = Promise.withResolvers<UtteranceEnd>();
  readonly #parts: Part[] = [];
  #pushedMs = 0;
  #pauseMs = 0;
  #sampleRate = 0;
  #over = false;
  #work: Promise<void> = Promise.resolve();

  constructor({ stage, voice, correlationId, acceptedAtMs }: UtteranceOptions) {
    this.#stage = stage;
    this.#voice = voice;
    this.correlationId = correlationId;
    this.acceptedAtMs = acceptedAtMs;
    this.number = stage.beginUtterance();
  }

  /** Resolves once nothing of it will be heard any more. */
  get ended(): Promise<UtteranceEnd> {
    return this.#ended.promise;
  }

  get over(): boolean {
    return this.#over;
  }

  /** Queues a clause. Resolves when its speech was handed over, or at once after an interrupt. Rejects with VoiceError. */
  say(clause: Pick<Clause, "text" | "tone">): Promise<void> {
    this.firstClauseAtMs ??= performance.now();
    this.#work = this.#work.then(() => this.#speak(clause));
    // The caller may look at the failure later, through finish().
    this.#work.catch(() => undefined);
    return this.#work;
  }

  /** Nothing follows. Resolves when everything was handed over; rejects with the first VoiceError. */
  async finish(): Promise<void> {
    try {
      await this.#work;
    } finally {
      this.#stage.endUtterance(this.number);
    }
  }

  /** Stops making speech; what the stage still holds is the director's to drop. */
  stop(): void {
    this.#stopped.abort();
  }

  /** The stage says that it is over, or the session is. */
  end({ interrupted, playedMs }: { interrupted: boolean; playedMs: number }): void {
    if (this.#over) return;
    this.#over = true;
    this.#stopped.abort();
    const heard = interrupted
      ? heardWords(this.#parts, playedMs)
      : this.#parts.map((part) => part.text).join(" ");
    this.#ended.resolve({ interrupted, heard });
  }

  async #speak({ text, tone }: Pick<Clause, "text" | "tone">): Promise<void> {
    const { signal } = this.#stopped;
    await this.#notTooFarAhead(signal);
    if (signal.aborted) return;
    this.#breathe();
    const part: Part = { text, startMs: this.#pushedMs, endMs: this.#pushedMs };
    this.#parts.push(part);
    const { engine, voice } = this.#voice;
    for await (const pcm of engine.synthesize({ text, tone, voice, signal })) {
      if (!this.#push(pcm)) return;
      part.endMs = this.#pushedMs;
      this.firstPcmAtMs ??= performance.now();
    }
    this.#pauseMs = pauseAfterMs(text);
    if (!signal.aborted) this.#stage.addMark(this.number, this.#parts.length);
  }

  #push({ samples, sampleRate }: Pcm): boolean {
    if (!this.#stage.pushAudio(this.number, samples, sampleRate)) return false;
    this.#sampleRate = sampleRate;
    this.#pushedMs += (samples.length / sampleRate) * 1000;
    return true;
  }

  /** The pause before a clause that follows another. */
  #breathe(): void {
    if (this.#pauseMs === 0 || this.#sampleRate === 0) return;
    const samples = new Int16Array(Math.round((this.#pauseMs / 1000) * this.#sampleRate));
    this.#push({ samples, sampleRate: this.#sampleRate });
    this.#pauseMs = 0;
  }

  async #notTooFarAhead(signal: AbortSignal): Promise<void> {
    const heardMs = () => (this.startedAtMs === null ? 0 : performance.now() - this.startedAtMs);
    for (let over = this.#pushedMs - heardMs() - aheadMs; over > 0 && !signal.aborted;) {
      await sleep(Math.min(over, 1_000), undefined, { signal }).catch(() => undefined);
      over = this.#pushedMs - heardMs() - aheadMs;
    }
  }
}
