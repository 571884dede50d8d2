// How much time a speaker takes: somebody whose turns were taken too early is given longer.

/** Speech this soon after a turn was taken means that it was not over. */
const tooSoonMs = 700;
const slower = 1.2;
const slowest = 1.6;
/** Every turn that was over brings the pace this far back. */
const recovery = 0.9;

export class Pace {
  #factor = 1;
  #takenMs = Number.NEGATIVE_INFINITY;

  /** A turn was taken; times are of the clock, which goes on where no audio comes. */
  ended(takenMs: number): void {
    this.#factor = 1 + (this.#factor - 1) * recovery;
    this.#takenMs = takenMs;
  }

  /** Speech began. */
  began(atMs: number): void {
    if (atMs - this.#takenMs < tooSoonMs) this.#factor = Math.min(slowest, this.#factor * slower);
    this.#takenMs = Number.NEGATIVE_INFINITY;
  }

  wait(waitMs: number): number {
    return Math.round(waitMs * this.#factor);
  }
}
