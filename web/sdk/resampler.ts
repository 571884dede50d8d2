// Brings sound to another sample rate without folding back what the new rate cannot hold: a polyphase windowed-sinc filter.

/** What must not be heard of the frequencies beyond half the rate. */
const attenuationDb = 70;
/** The share of the band given up to the filter's slope: speech at 16 kHz keeps everything below 7 kHz. */
const slopeShare = 1 / 8;
/** A ratio of awkward rates has more phases than this; the nearest of so many is then as good. */
const maxPhases = 1024;

/** Modified Bessel function of the first kind, order 0, by its series. */
function bessel0(x: number): number {
  let sum = 1;
  let term = 1;
  for (let k = 1; term > sum * 1e-12; k++) {
    term *= (x / (2 * k)) ** 2;
    sum += term;
  }
  return sum;
}

function greatestDivisor(a: number, b: number): number {
  return b === 0 ? a : greatestDivisor(b, a % b);
}

/** One row of coefficients a phase. `halfWidth` taps lie on each side of the point between two samples. */
function designPhases(options: { inputRate: number; outputRate: number; phases: number }): {
  halfWidth: number;
  rows: Float32Array[];
} {
  const { inputRate, outputRate, phases } = options;
  const edge = Math.min(inputRate, outputRate) / 2;
  const slope = edge * slopeShare;
  // J. F. Kaiser's formulas for the length and the shape of the window (Oppenheim and Schafer, "Discrete-Time Signal
  // Processing", section 7.5.3).
  const length = (attenuationDb - 8) / (2.285 * 2 * Math.PI * (slope / inputRate));
  const halfWidth = Math.ceil(length / 2);
  const beta = 0.1102 * (attenuationDb - 8.7);
  const cutoff = (edge - slope / 2) / inputRate;
  const scale = bessel0(beta);
  const tap = (t: number): number => {
    const x = t / halfWidth;
    if (Math.abs(x) >= 1) return 0;
    const sinc = t === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * t) / (Math.PI * t);
    return (sinc * bessel0(beta * Math.sqrt(1 - x * x))) / scale;
  };
  const rows = Array.from({ length: phases }, (_, phase) => {
    const row = Float32Array.from({ length: 2 * halfWidth }, (_, k) =>
      tap(k + 1 - halfWidth - phase / phases),
    );
    const sum = row.reduce((total, coefficient) => total + coefficient, 0);
    return row.map((coefficient) => coefficient / sum);
  });
  return { halfWidth, rows };
}

export interface ResamplerOptions {
  /** Hertz, whole numbers. */
  inputRate: number;
  outputRate: number;
}

export class Resampler {
  /** Output sample number m lies at input position m * #down / #up. */
  readonly #up: number;
  readonly #down: number;
  readonly #rows: readonly Float32Array[];
  readonly #halfWidth: number;
  /** Input not used up yet, from the first sample that the next output needs. */
  #held: Float32Array;
  #heldLength: number;
  /** Where in `#held` the next output lies: whole samples, and #up-ths of one. */
  #position: number;
  #fraction = 0;

  constructor({ inputRate, outputRate }: ResamplerOptions) {
    const divisor = greatestDivisor(inputRate, outputRate);
    this.#up = outputRate / divisor;
    this.#down = inputRate / divisor;
    const phases = this.#up === this.#down ? 0 : Math.min(this.#up, maxPhases);
    const { halfWidth, rows } = designPhases({ inputRate, outputRate, phases });
    this.#rows = rows;
    this.#halfWidth = halfWidth;
    this.#held = new Float32Array(2 * halfWidth + 1024);
    // What came before the first sample was silence.
    this.#heldLength = halfWidth;
    this.#position = halfWidth;
  }

  /** Takes samples of any number; `sink` gets what they complete, in order. */
  push(input: Float32Array, sink: (sample: number) => void): void {
    if (this.#rows.length === 0) {
      for (const sample of input) sink(sample);
      return;
    }
    this.#hold(input);
    const half = this.#halfWidth;
    while (this.#position + half < this.#heldLength) {
      const phase = Math.floor((this.#fraction / this.#up) * this.#rows.length);
      const row = this.#rows[phase];
      if (!row) break;
      let sum = 0;
      const from = this.#position + 1 - half;
      for (let k = 0; k < row.length; k++) sum += (row[k] ?? 0) * (this.#held[from + k] ?? 0);
      sink(sum);
      this.#fraction += this.#down;
      this.#position += Math.floor(this.#fraction / this.#up);
      this.#fraction %= this.#up;
    }
    this.#forget();
  }

  #hold(input: Float32Array): void {
    const needed = this.#heldLength + input.length;
    if (needed > this.#held.length) {
      const larger = new Float32Array(needed * 2);
      larger.set(this.#held.subarray(0, this.#heldLength));
      this.#held = larger;
    }
    this.#held.set(input, this.#heldLength);
    this.#heldLength = needed;
  }

  #forget(): void {
    const used = Math.min(this.#heldLength, this.#position + 1 - this.#halfWidth);
    if (used <= 0) return;
    this.#held.copyWithin(0, used, this.#heldLength);
    this.#heldLength -= used;
    this.#position -= used;
  }
}
