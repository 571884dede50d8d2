// Turns that the recogniser hears by itself: passed on, with the box's own ear for their beginning, which is sooner.

import type { ListenerEvent } from "./listener.ts";
import type { Moment } from "./turn-taking.ts";

/** Silence after which what was heard has come to nothing, and speech is a new beginning. */
const forgottenMs = 1_500;

export interface ProviderTurnsOptions {
  isEcho(text: string): boolean;
  tell(event: ListenerEvent): void;
  toClock(audioMs: number): number;
}

export class ProviderTurns {
  readonly #options: ProviderTurnsOptions;
  #moment: Moment | null = null;
  #started = false;
  #stretchMs = Number.NaN;

  constructor(options: ProviderTurnsOptions) {
    this.#options = options;
  }

  step(moment: Moment): void {
    this.#moment = moment;
    if (moment.open && moment.confirmed && moment.sinceMs !== this.#stretchMs) {
      this.#stretchMs = moment.sinceMs;
      this.#start(moment.sinceMs);
    } else if (!moment.open && moment.nowMs - moment.lastSpeechMs > forgottenMs) this.#started = false;
  }

  speechStarted(): void {
    this.#start(this.#moment?.nowMs ?? 0);
  }

  turn(text: string): void {
    this.#started = false;
    const words = text.trim();
    if (!words || !this.#moment || this.#options.isEcho(words)) return;
    const { nowMs, lastSpeechMs } = this.#moment;
    const speechEndedAtMs = this.#options.toClock(Math.max(lastSpeechMs, nowMs - 5_000));
    this.#options.tell({ case: "turn", text: words, speechEndedAtMs });
  }

  drop(): void {
    this.#started = false;
  }

  #start(audioMs: number): void {
    if (this.#started) return;
    this.#started = true;
    this.#options.tell({ case: "speech_started", atMs: this.#options.toClock(audioMs) });
  }
}
