/** So much a second, with more in a burst: as much again, unless told otherwise. */
export class TokenBucket {
  readonly #perSecond: number;
  readonly #capacity: number;
  #tokens: number;
  #filledAtMs: number;

  constructor(perSecond: number, nowMs: number, capacity = perSecond * 2) {
    this.#perSecond = perSecond;
    this.#capacity = capacity;
    this.#tokens = capacity;
    this.#filledAtMs = nowMs;
  }

  /** False when there is not as much left; then nothing is taken. */
  take(nowMs: number, amount = 1): boolean {
    const gained = ((nowMs - this.#filledAtMs) / 1000) * this.#perSecond;
    this.#tokens = Math.min(this.#capacity, this.#tokens + gained);
    this.#filledAtMs = nowMs;
    if (this.#tokens < amount) return false;
    this.#tokens -= amount;
    return true;
  }
}
