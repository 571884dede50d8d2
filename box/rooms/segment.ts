// One segment of an agent's speech, from its first sample to the news that it is over, which is told exactly once.

import type { Tone } from "../../contract/tones.ts";
import type { LiveStage } from "../live/engine.ts";
import type { Playback } from "../live/playback.ts";
import type { Speech, SpeechEnd } from "../live/speech.ts";

export interface SegmentOptions {
  stage: Pick<LiveStage, "beginUtterance" | "pushAudio" | "endUtterance">;
  playback: Playback;
  sampleRate: number;
  /** The tone of the moment. */
  tone(): Tone;
  onStarted(): void;
  /** Once, and only where there was something to hear. */
  onFinished(end: SpeechEnd): void;
}

/**
 * Waits for sound, is heard, is over. An agent that wants silence may ask for it before the sound it sent is here: then the
 * segment is over as soon as any of that arrives, since whoever sent it waits for the news.
 */
export class Segment implements Speech {
  readonly correlationId = null;
  startedAtMs: number | null = null;
  readonly #options: SegmentOptions;
  #number: number | null = null;
  /** What was pushed before it was heard. */
  readonly #unheard: Int16Array[] = [];
  #pushedMs = 0;
  #whole = false;
  #cut = false;
  /** Silence was wanted before any of its sound was here. */
  #cleared = false;
  /** Silence was wanted since; the stage is about to say how much was heard. */
  #stopped = false;
  #over = false;
  readonly #ended = Promise.withResolvers<void>();

  constructor(options: SegmentOptions) {
    this.#options = options;
  }

  get number(): number | null {
    return this.#number;
  }

  get over(): boolean {
    return this.#over;
  }

  get ended(): Promise<void> {
    return this.#ended.promise;
  }

  toneAt(): Tone {
    return this.#options.tone();
  }

  /** Gives it its place on the stage. Throws when the stage takes no more. */
  open(): void {
    if (!this.#over) this.#number = this.#options.stage.beginUtterance();
  }

  /** Sound of it, in order; it has its place by now, or never gets one. False: no more of it is of any use. */
  push(samples: Int16Array): boolean {
    if (this.#cleared) this.end({ interrupted: true, playedMs: 0 });
    if (this.#over || this.#stopped || this.#number === null) return false;
    // What the stage has no room for is not heard; what follows may be.
    if (this.#deliver(samples) && this.startedAtMs === null) this.#unheard.push(samples);
    return true;
  }

  /** No more sound follows. */
  finish(): void {
    if (this.#whole) return;
    this.#whole = true;
    if (this.#number !== null) this.#options.stage.endUtterance(this.#number);
    else this.#close();
  }

  /** No more sound follows, and not because it was said to its end: at best its beginning is heard. */
  cutOff(): void {
    if (!this.#whole) this.#cut = true;
    this.finish();
  }

  /** The agent wants silence, of a segment that has no place on the stage. */
  clear(): void {
    if (this.#number === null) this.#cleared = true;
  }

  /** Silence was asked for before its sound came. */
  get cleared(): boolean {
    return this.#cleared;
  }

  start(atMs: number): void {
    this.startedAtMs = atMs;
    this.#unheard.length = 0;
    if (this.#number !== null) this.#options.playback.started(this.#number, atMs);
    this.#options.onStarted();
  }

  stop(): void {
    this.#stopped = true;
  }

  reopen(): void {
    if (this.#over || this.#number === null || this.startedAtMs !== null) return;
    this.#options.playback.ended(this.#number);
    this.#number = null;
    this.open();
    const made = this.#unheard.splice(0);
    this.#pushedMs = 0;
    for (const samples of made) if (this.#deliver(samples)) this.#unheard.push(samples);
    if (this.#whole && this.#number !== null) this.#options.stage.endUtterance(this.#number);
  }

  end(end: SpeechEnd): void {
    if (this.#over) return;
    if (this.#number !== null) this.#options.playback.ended(this.#number);
    this.#close();
    this.#options.onFinished({ ...end, interrupted: end.interrupted || this.#cut });
  }

  #close(): void {
    this.#over = true;
    this.#unheard.length = 0;
    this.#ended.resolve();
  }

  #deliver(samples: Int16Array): boolean {
    const { stage, playback, sampleRate } = this.#options;
    const number = this.#number;
    if (number === null || !stage.pushAudio(number, samples, sampleRate)) return false;
    playback.made(number, this.#pushedMs, { samples, sampleRate });
    this.#pushedMs += (samples.length / sampleRate) * 1000;
    return true;
  }
}
