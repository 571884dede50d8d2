// When audio that arrives was heard: counted in samples, anchored to the clock by whatever arrived soonest.

/** A late packet says nothing about the clock, and within this time one comes that is not late. */
const windowMs = 1_000;

export class AudioClock {
  /** The clock at audio time 0, as the soonest arrivals of this window and the last have it. */
  #thisMs = Number.POSITIVE_INFINITY;
  #lastMs = Number.POSITIVE_INFINITY;
  #windowEndsMs = Number.NEGATIVE_INFINITY;
  /** Audio before this time came before the last pause, and the clock then. */
  #beforeMs = Number.NEGATIVE_INFINITY;
  #before = Number.POSITIVE_INFINITY;

  /** Audio up to `audioMs` has come. */
  arrived(audioMs: number, nowMs: number): void {
    if (nowMs >= this.#windowEndsMs) {
      // After a pause, what was known of the clock is out of date.
      const paused = nowMs >= this.#windowEndsMs + windowMs;
      this.#lastMs = paused ? Number.POSITIVE_INFINITY : this.#thisMs;
      this.#thisMs = Number.POSITIVE_INFINITY;
      this.#windowEndsMs = nowMs + windowMs;
    }
    this.#thisMs = Math.min(this.#thisMs, nowMs - audioMs);
  }

  /** Nothing came for a while: from `audioMs` on, audio is anchored anew. */
  restart(audioMs: number): void {
    const anchor = Math.min(this.#thisMs, this.#lastMs);
    if (anchor < Number.POSITIVE_INFINITY) this.#before = anchor;
    this.#beforeMs = audioMs;
    this.#thisMs = Number.POSITIVE_INFINITY;
    this.#lastMs = Number.POSITIVE_INFINITY;
    this.#windowEndsMs = Number.NEGATIVE_INFINITY;
  }

  toClock(audioMs: number): number {
    const anchor = Math.min(this.#thisMs, this.#lastMs);
    const known = audioMs >= this.#beforeMs && anchor < Number.POSITIVE_INFINITY;
    return (known ? anchor : this.#before) + audioMs;
  }
}
