// Samples as they come: pieces of any length, also of half a sample.

import { VoiceError, type Pcm } from "./voice.ts";
import { wavFile } from "./wav.ts";

/** Reads 16-bit little-endian samples off a stream of bytes. */
export class PcmReader {
  readonly sampleRate: number;
  #half: Buffer = Buffer.alloc(0);

  constructor(sampleRate: number) {
    this.sampleRate = sampleRate;
  }

  /** The samples that are whole with this piece, or null. */
  push(piece: Buffer): Pcm | null {
    const bytes = this.#half.length === 0 ? piece : Buffer.concat([this.#half, piece]);
    const count = bytes.length >> 1;
    this.#half = Buffer.from(bytes.subarray(count * 2));
    if (count === 0) return null;
    const samples = new Int16Array(count);
    for (let index = 0; index < count; index++) samples[index] = bytes.readInt16LE(index * 2);
    return { samples, sampleRate: this.sampleRate };
  }
}

/** Everything a voice says, as one piece. Throws VoiceError when it said nothing, or more than `maxSeconds`. */
export async function wholeSpeech(pieces: AsyncIterable<Pcm>, maxSeconds: number): Promise<Pcm> {
  const parts: Int16Array[] = [];
  let sampleRate = 0;
  let length = 0;
  for await (const piece of pieces) {
    sampleRate ||= piece.sampleRate;
    if (piece.sampleRate !== sampleRate) throw new VoiceError("The voice engine changed its sample rate.");
    length += piece.samples.length;
    if (length > maxSeconds * sampleRate)
      throw new VoiceError("The voice engine said more than it was given.");
    parts.push(piece.samples);
  }
  if (length === 0) throw new VoiceError("The voice engine said nothing.");
  const samples = new Int16Array(length);
  let at = 0;
  for (const part of parts) {
    samples.set(part, at);
    at += part.length;
  }
  return { samples, sampleRate };
}

export function wavOf({ samples, sampleRate }: Pcm): Buffer<ArrayBuffer> {
  return Buffer.from(wavFile(samples, sampleRate));
}
