// The session's own time: the media timestamps of what is sent, and when on the box's clock that was.

/** A late moment says nothing about the clock, and within this time one comes that is not late. */
const windowMs = 2_000;

/** RTP timestamps without their wrap. */
export class LongTimestamps {
  readonly #rate: number;
  #last: number | null = null;

  constructor(rate: number) {
    this.#rate = rate;
  }

  /** Milliseconds of media time; the first timestamp of a stage is near zero. */
  toMs(timestamp: number): number {
    if (this.#last === null) this.#last = timestamp;
    // The way between two timestamps is the shorter one around.
    else this.#last += (timestamp - this.#last) | 0;
    return (this.#last / this.#rate) * 1000;
  }
}

/** Where one clock's zero lies on another, from moments known to be late but never early: the least of the last seconds. */
export class Anchor {
  #this = Number.POSITIVE_INFINITY;
  #last = Number.POSITIVE_INFINITY;
  #endsMs = Number.NEGATIVE_INFINITY;

  /** At `nowMs` of the one clock it was at least `thenMs` of the other. */
  seen(thenMs: number, nowMs: number): void {
    if (nowMs >= this.#endsMs) {
      this.#last = this.#this;
      this.#this = Number.POSITIVE_INFINITY;
      this.#endsMs = nowMs + windowMs;
    }
    this.#this = Math.min(this.#this, nowMs - thenMs);
  }

  /** Null before anything was seen. */
  get zeroMs(): number | null {
    const zero = Math.min(this.#this, this.#last);
    return Number.isFinite(zero) ? zero : null;
  }

  forget(): void {
    this.#this = Number.POSITIVE_INFINITY;
    this.#last = Number.POSITIVE_INFINITY;
    this.#endsMs = Number.NEGATIVE_INFINITY;
  }
}
