// An agent's sound: interleaved signed 16-bit little-endian samples in pieces cut anywhere, as mono.

/** Rates that the stage takes. */
const rates = { min: 8_000, max: 48_000 };
const mostChannels = 8;

export interface SoundFormat {
  sampleRate: number;
  channels: number;
}

/** What the attributes of a stream say, or what is wrong with them. */
export function soundFormat(
  attributes: Readonly<Record<string, string>>,
): { ok: true; format: SoundFormat } | { ok: false; problem: string } {
  const [rate, channels] = [wholeNumber(attributes.sample_rate), wholeNumber(attributes.num_channels)];
  if (rate === null || rate < rates.min || rate > rates.max)
    return { ok: false, problem: `sample_rate must be a whole number of ${rates.min}..${rates.max}` };
  if (channels === null || channels < 1 || channels > mostChannels)
    return { ok: false, problem: `num_channels must be a whole number of 1..${mostChannels}` };
  return { ok: true, format: { sampleRate: rate, channels } };
}

const wholeNumber = (text: string | undefined) => (/^\d{1,6}$/.test(text ?? "") ? Number(text) : null);

/** Keeps what a piece has of a frame until the next one brings the rest. */
export class MonoReader {
  readonly #channels: number;
  #rest = Buffer.alloc(0);

  constructor({ channels }: Pick<SoundFormat, "channels">) {
    this.#channels = channels;
  }

  /** Every whole frame so far, its channels mixed; may be none. */
  read(piece: Uint8Array): Int16Array {
    const bytes =
      this.#rest.length === 0
        ? Buffer.from(piece.buffer, piece.byteOffset, piece.length)
        : Buffer.concat([this.#rest, piece]);
    const frameBytes = 2 * this.#channels;
    const frames = Math.floor(bytes.length / frameBytes);
    // Copied: what a piece lies in belongs to whoever brought it.
    this.#rest = Buffer.from(bytes.subarray(frames * frameBytes));
    const samples = new Int16Array(frames);
    for (let frame = 0, at = 0; frame < frames; frame++) {
      let sum = 0;
      for (let channel = 0; channel < this.#channels; channel++, at += 2) sum += bytes.readInt16LE(at);
      samples[frame] = Math.round(sum / this.#channels);
    }
    return samples;
  }
}
