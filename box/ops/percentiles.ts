/** The last `capacity` samples of one quantity, and where its middle and tails lie. */
export class Percentiles {
  readonly #samples: number[] = [];
  readonly #capacity: number;
  #next = 0;

  constructor(capacity = 200) {
    this.#capacity = capacity;
  }

  add(sample: number): void {
    this.#samples[this.#next] = sample;
    this.#next = (this.#next + 1) % this.#capacity;
  }

  /** Nearest-rank percentiles; zero while there are no samples. */
  read(): { p50: number; p95: number; p99: number } {
    const sorted = this.#samples.toSorted((a, b) => a - b);
    const at = (share: number) => sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)] ?? 0;
    return { p50: at(0.5), p95: at(0.95), p99: at(0.99) };
  }
}
