// How loud sound is in each of a few bands, every 16 ms: what is left of a voice when a room, a loudspeaker and a codec
// have changed everything else about it.

/** Samples at 16 kHz between two measurements. */
export const hopSamples = 256;
export const hopMs = 16;
const windowSamples = 512;
const hertzPerBin = 16_000 / windowSamples;

/** Edges in hertz, about as wide as the ear's where speech is strongest. */
const edges = [200, 400, 600, 850, 1150, 1600, 2200, 3000, 4000];
export const bandCount = edges.length - 1;

const firstBins = edges.map((hertz) => Math.round(hertz / hertzPerBin));

const hann = Float32Array.from(
  { length: windowSamples },
  (_, index) => 0.5 - 0.5 * Math.cos((2 * Math.PI * index) / windowSamples),
);
const cosines = Float32Array.from({ length: windowSamples / 2 }, (_, index) =>
  Math.cos((2 * Math.PI * index) / windowSamples),
);
const sines = Float32Array.from({ length: windowSamples / 2 }, (_, index) =>
  Math.sin((2 * Math.PI * index) / windowSamples),
);
const reversed = Uint16Array.from({ length: windowSamples }, (_, index) => {
  let turned = 0;
  for (let bit = 1, rest = index; bit < windowSamples; bit <<= 1, rest >>= 1)
    turned = (turned << 1) | (rest & 1);
  return turned;
});

/** Nothing is quieter than this, in decibels below full scale. */
export const quietestDb = -90;

/** Measures one stream. */
export class BandEnergies {
  readonly #window = new Float32Array(windowSamples);
  readonly #real = new Float32Array(windowSamples);
  readonly #imaginary = new Float32Array(windowSamples);

  /** Takes the next hop (−1..1) and writes each band's decibels to `bands` from `at` on. */
  measure(hop: Float32Array, bands: Float32Array, at: number): void {
    const window = this.#window;
    window.copyWithin(0, hopSamples);
    window.set(hop, windowSamples - hopSamples);
    const real = this.#real;
    const imaginary = this.#imaginary;
    for (let index = 0; index < windowSamples; index += 1) {
      const from = reversed[index] ?? 0;
      real[index] = (window[from] ?? 0) * (hann[from] ?? 0);
      imaginary[index] = 0;
    }
    transform(real, imaginary);
    for (let band = 0; band < bandCount; band += 1) {
      let power = 0;
      const end = firstBins[band + 1] ?? 0;
      for (let bin = firstBins[band] ?? 0; bin < end; bin += 1)
        power += (real[bin] ?? 0) ** 2 + (imaginary[bin] ?? 0) ** 2;
      const db = 10 * Math.log10(power / (windowSamples * windowSamples) + 1e-12);
      bands[at + band] = Math.max(quietestDb, db);
    }
  }

  reset(): void {
    this.#window.fill(0);
  }
}

/** Radix-2, in place, of samples in bit-reversed order. */
function transform(real: Float32Array, imaginary: Float32Array): void {
  for (let half = 1; half < windowSamples; half *= 2) {
    const step = windowSamples / (2 * half);
    for (let start = 0; start < windowSamples; start += 2 * half)
      for (let offset = 0; offset < half; offset += 1) {
        const cosine = cosines[offset * step] ?? 0;
        const sine = sines[offset * step] ?? 0;
        const even = start + offset;
        const odd = even + half;
        const r = (real[odd] ?? 0) * cosine + (imaginary[odd] ?? 0) * sine;
        const i = (imaginary[odd] ?? 0) * cosine - (real[odd] ?? 0) * sine;
        real[odd] = (real[even] ?? 0) - r;
        imaginary[odd] = (imaginary[even] ?? 0) - i;
        real[even] = (real[even] ?? 0) + r;
        imaginary[even] = (imaginary[even] ?? 0) + i;
      }
  }
}
