// From 16 kHz to 24 kHz: three samples for two, by a polyphase low-pass filter.

/** Taps of each of the three phases. */
const tapsPerPhase = 24;
const phases = 3;
const step = 2;
/** The old half rate and a little guard, as a fraction of the rate in the middle (48 kHz). */
const cutoff = 7_600 / 48_000;

const taps: readonly Float64Array[] = (() => {
  const length = tapsPerPhase * phases;
  const middle = (length - 1) / 2;
  const all = Array.from({ length }, (_, index) => {
    const distance = index - middle;
    const ideal =
      distance === 0 ? 2 * cutoff : Math.sin(2 * Math.PI * cutoff * distance) / (Math.PI * distance);
    // Blackman's window: what the filter stops stays 70 dB below.
    const turn = (2 * Math.PI * index) / (length - 1);
    return ideal * (0.42 - 0.5 * Math.cos(turn) + 0.08 * Math.cos(2 * turn));
  });
  return Array.from({ length: phases }, (_, phase) => {
    const own = Float64Array.from({ length: tapsPerPhase }, (_, tap) => all[tap * phases + phase] ?? 0);
    const gain = own.reduce((sum, value) => sum + value, 0);
    return own.map((value) => value / gain);
  });
})();

/** A stream: where it is cut into pieces changes nothing. */
export class Upsampler {
  #history = new Float64Array(tapsPerPhase - 1);
  /** Position of the next output between two inputs, in thirds of a sample. */
  #phase = 0;

  push(samples: Int16Array): Int16Array {
    const input = new Float64Array(this.#history.length + samples.length);
    input.set(this.#history);
    input.set(samples, this.#history.length);
    const out = new Int16Array(Math.max(0, Math.ceil((samples.length * phases - this.#phase) / step)));
    let position = this.#phase;
    for (let index = 0; index < out.length; index++, position += step) {
      const newest = Math.floor(position / phases) + this.#history.length;
      const filter = taps[position % phases] ?? new Float64Array();
      let sum = 0;
      for (let tap = 0; tap < tapsPerPhase; tap++) sum += (filter[tap] ?? 0) * (input[newest - tap] ?? 0);
      out[index] = Math.max(-32_768, Math.min(32_767, Math.round(sum)));
    }
    this.#phase = position - samples.length * phases;
    this.#history = input.slice(input.length - this.#history.length);
    return out;
  }
}
