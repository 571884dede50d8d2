// How alike the courses of two sounds are, band by band, at many lags.

import { bandCount } from "./band-energies.ts";

/** Decibels of a band, so many measurements back. */
type Course = (back: number, band: number) => number;

/** What is compared lies side by side in memory: it is gone through once for every lag. */
export class Comparison {
  readonly #heard: Float32Array;
  readonly #played: Float32Array;
  readonly #playedHops: number;
  #count = 0;
  #heardPower = 0;

  constructor({ hops, lags }: { hops: number; lags: number }) {
    this.#playedHops = hops + lags - 1;
    this.#heard = new Float32Array(hops * bandCount);
    this.#played = new Float32Array(this.#playedHops * bandCount);
  }

  /** The last `count` measurements of one, and of the other as many as `lags` lags need. */
  take({ count, lags, heard, played }: { count: number; lags: number; heard: Course; played: Course }): void {
    this.#count = count;
    this.#heardPower = 0;
    for (let band = 0; band < bandCount; band += 1) {
      const at = band * count;
      let sum = 0;
      for (let back = 0; back < count; back += 1) {
        const db = heard(back, band);
        this.#heard[at + back] = db;
        sum += db;
      }
      for (let back = 0; back < count; back += 1) {
        const db = (this.#heard[at + back] ?? 0) - sum / count;
        this.#heard[at + back] = db;
        this.#heardPower += db * db;
      }
      for (let back = 0; back < count + lags - 1; back += 1)
        this.#played[band * this.#playedHops + back] = played(back, band);
    }
  }

  /** Correlation, each band around its own mean: colour and level do not matter. */
  similarity(lag: number): number {
    const count = this.#count;
    const heard = this.#heard;
    const played = this.#played;
    let together = 0;
    let playedPower = 0;
    for (let band = 0; band < bandCount; band += 1) {
      const from = band * count;
      const other = band * this.#playedHops + lag;
      let sum = 0;
      let squares = 0;
      for (let back = 0; back < count; back += 1) {
        const db = played[other + back] ?? 0;
        sum += db;
        squares += db * db;
        together += (heard[from + back] ?? 0) * db;
      }
      playedPower += squares - (sum * sum) / count;
    }
    // Steady sound, of either, says nothing.
    if (this.#heardPower < 4 * count || playedPower < 4 * count) return 0;
    return together / Math.sqrt(this.#heardPower * playedPower);
  }
}
