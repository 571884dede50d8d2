// The audio that has not been turned into words for good, kept so that a new line can hear it again.

export class KeptAudio {
  readonly #capacity: number;
  #pieces: Int16Array[] = [];
  /** Samples are counted from the beginning of the recognition. */
  #start = 0;
  #end = 0;

  /** Keeps at most so many samples, the newest. */
  constructor(capacity: number) {
    this.#capacity = capacity;
  }

  get start(): number {
    return this.#start;
  }

  get end(): number {
    return this.#end;
  }

  push(samples: Int16Array): void {
    if (samples.length === 0) return;
    // The caller may use its buffer again.
    this.#pieces.push(samples.slice());
    this.#end += samples.length;
    if (this.#end - this.#start > this.#capacity) this.forget(this.#end - this.#capacity);
  }

  /** Forgets what lies before a sample. */
  forget(until: number): void {
    let dropped = 0;
    for (let first = this.#pieces[dropped]; first && this.#start < until; first = this.#pieces[dropped]) {
      const over = Math.min(first.length, until - this.#start);
      this.#start += over;
      if (over < first.length) this.#pieces[dropped] = first.subarray(over);
      else dropped++;
    }
    if (dropped > 0) this.#pieces.splice(0, dropped);
  }

  /** What is kept, oldest first. */
  pieces(): readonly Int16Array[] {
    return this.#pieces;
  }
}
