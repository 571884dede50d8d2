// Where along the session's time what the microphone hears belongs. Frames come late and in bunches; a microphone's clock runs a
// little faster or slower than the box's, and now and then it is off.

import { Anchor } from "./media-clock.ts";

/** Samples a millisecond: 16 kHz. */
const perMs = 16;
/** Further apart it is no jitter: the microphone was off, or the line stood still. */
const gapMs = 80;
/** What is less nobody hears; more for as long as `steadyMs` is set right. */
const driftMs = 8;
const steadyMs = 4_000;
/** When its frames begin to come, the soonest of them tells when they are due. */
const settlingMs = 1_000;
/** After so long nothing is left of what was known. */
const forgottenMs = 10_000;

export class MicrophoneTrack {
  readonly #anchor = new Anchor();
  /** Samples that have come since the anchor was forgotten. */
  #counted = 0;
  /** Where the next sample goes; null before the first. */
  #cursor: number | null = null;
  #lastMs = Number.NEGATIVE_INFINITY;
  /** How far the cursor was off at the least, and to which side, since `#offSinceMs`. */
  #off = 0;
  #offSinceMs = Number.POSITIVE_INFINITY;

  /**
   * Samples came at `nowMs`, where media time zero was at `zeroMs` of the same clock. Returns the index of the first of them;
   * negative for what was heard before the recording began.
   */
  place(count: number, { nowMs, zeroMs }: { nowMs: number; zeroMs: number }): number {
    const lengthMs = count / perMs;
    if (nowMs - this.#lastMs > lengthMs + forgottenMs) this.restart();
    this.#lastMs = nowMs;
    const startMs = this.#counted / perMs;
    this.#counted += count;
    this.#anchor.seen(startMs + lengthMs, nowMs);
    const due = Math.round(((this.#anchor.zeroMs ?? nowMs) + startMs - zeroMs) * perMs);
    const at = this.#settle(due, { nowMs, settling: startMs < settlingMs });
    this.#cursor = at + count;
    return at;
  }

  /** It was off: what comes next is no continuation. Without that, a pause is a line that stood still. */
  restart(): void {
    this.#anchor.forget();
    this.#counted = 0;
    this.#cursor = null;
  }

  #settle(due: number, { nowMs, settling }: { nowMs: number; settling: boolean }): number {
    if (this.#cursor === null || Math.abs(due - this.#cursor) > gapMs * perMs) {
      this.#steady();
      return due;
    }
    const off = due - this.#cursor;
    if (Math.abs(off) < driftMs * perMs || (this.#off !== 0 && Math.sign(off) !== Math.sign(this.#off))) {
      this.#steady();
      return this.#cursor;
    }
    if (settling) return due;
    if (this.#off === 0) this.#offSinceMs = nowMs;
    this.#off = this.#off === 0 || Math.abs(off) < Math.abs(this.#off) ? off : this.#off;
    if (nowMs - this.#offSinceMs < steadyMs) return this.#cursor;
    const at = this.#cursor + this.#off;
    this.#steady();
    return at;
  }

  #steady(): void {
    this.#off = 0;
    this.#offSinceMs = Number.POSITIVE_INFINITY;
  }
}
