// From a probability a frame to stretches of speech.

import { frameMs } from "./voice-activity.ts";

const onAt = 0.5;
const offBelow = 0.35;
/** One frame may be a click. */
const framesToOpen = 2;
/** The closure of a consonant is no end of a stretch. */
const bridgedMs = 128;
const bridgedAtMostMs = 256;

/** Speech opens and closes with hysteresis; a stretch counts only once it is as long as is asked for. */
export class SpeechGate {
  #loudFrames = 0;
  #open = false;
  #sinceMs = 0;
  /** Of the stretch, without the gaps in it. */
  #speechMs = 0;
  #lastSpeechMs = Number.NEGATIVE_INFINITY;
  #confirmed = false;

  /** Something like speech is heard right now. */
  get open(): boolean {
    return this.#open;
  }

  /** It has gone on for long enough to be speech. */
  get confirmed(): boolean {
    return this.#confirmed;
  }

  /** When the stretch began. */
  get sinceMs(): number {
    return this.#sinceMs;
  }

  /** When the last frame of speech ended. */
  get lastSpeechMs(): number {
    return this.#lastSpeechMs;
  }

  /** `endMs` is when the frame ends; `enoughMs` of speech make a stretch count. */
  step({ probability, endMs, enoughMs }: { probability: number; endMs: number; enoughMs: number }): void {
    const speech = probability >= (this.#open ? offBelow : onAt);
    this.#loudFrames = speech ? this.#loudFrames + 1 : 0;
    // Where more is asked for, what there is of it may lie further apart.
    const bridged = this.#confirmed ? bridgedMs : Math.min(Math.max(enoughMs, bridgedMs), bridgedAtMostMs);
    if (!this.#open && this.#loudFrames >= framesToOpen) {
      const beganMs = endMs - frameMs * framesToOpen;
      if (beganMs - this.#lastSpeechMs > bridged) {
        this.#sinceMs = beganMs;
        this.#speechMs = 0;
        this.#confirmed = false;
      }
      this.#speechMs += frameMs * (framesToOpen - 1);
      this.#open = true;
    } else if (this.#open && !speech) this.#open = false;
    if (this.#open) {
      this.#lastSpeechMs = endMs;
      this.#speechMs += frameMs;
      if (this.#speechMs >= enoughMs) this.#confirmed = true;
    } else if (endMs - this.#lastSpeechMs > bridgedMs) this.#confirmed = false;
  }

  /** What was heard so far was not the speaker. */
  reset(): void {
    this.#loudFrames = 0;
    this.#open = false;
    this.#confirmed = false;
    this.#lastSpeechMs = Number.NEGATIVE_INFINITY;
  }
}
