// RIFF WAVE, as a stream and as a file.

import type { Pcm } from "./voice.ts";

const riffHeaderBytes = 12;
const chunkHeaderBytes = 8;
const pcmFormat = 1;
/** A header that has not reached its samples by then is not one. */
const longestHeader = 4096;

/** Reads 16-bit mono PCM off a WAV stream. Sizes in the header are not trusted: a pipe cannot know them. */
export class WavReader {
  #held: Buffer = Buffer.alloc(0);
  #sampleRate = 0;
  #inData = false;

  /** Samples that are complete with this piece, or null. Throws when the stream is not such a WAV. */
  push(piece: Buffer): Pcm | null {
    this.#held = this.#held.length === 0 ? piece : Buffer.concat([this.#held, piece]);
    if (!this.#inData && !this.#readHeader()) return null;
    const count = this.#held.length >> 1;
    if (count === 0) return null;
    const samples = new Int16Array(count);
    for (let index = 0; index < count; index++) samples[index] = this.#held.readInt16LE(index * 2);
    this.#held = this.#held.subarray(count * 2);
    return { samples, sampleRate: this.#sampleRate };
  }

  #readHeader(): boolean {
    const held = this.#held;
    if (held.length < riffHeaderBytes) return false;
    if (held.toString("latin1", 0, 4) !== "RIFF" || held.toString("latin1", 8, 12) !== "WAVE")
      throw new Error("not a RIFF WAVE stream");
    let at = riffHeaderBytes;
    while (held.length >= at + chunkHeaderBytes) {
      const id = held.toString("latin1", at, at + 4);
      const size = held.readUInt32LE(at + 4);
      const body = at + chunkHeaderBytes;
      if (id === "data") {
        if (this.#sampleRate === 0) throw new Error("WAV samples before their format");
        this.#held = held.subarray(body);
        this.#inData = true;
        return true;
      }
      if (body + size > longestHeader) throw new Error("WAV header too long");
      if (held.length < body + size) return false;
      if (id === "fmt ") this.#readFormat(held.subarray(body, body + size));
      // Chunks are padded to an even length.
      at = body + size + (size % 2);
    }
    return false;
  }

  #readFormat(format: Buffer): void {
    if (format.length < 16) throw new Error("WAV format chunk too short");
    const [code, channels, bits] = [format.readUInt16LE(0), format.readUInt16LE(2), format.readUInt16LE(14)];
    if (code !== pcmFormat || channels !== 1 || bits !== 16) throw new Error("WAV is not 16-bit mono PCM");
    this.#sampleRate = format.readUInt32LE(4);
    if (this.#sampleRate < 8000 || this.#sampleRate > 48_000) throw new Error("WAV sample rate out of range");
  }
}

/** A whole WAV file of 16-bit mono PCM. */
export function wavFile(samples: Int16Array, sampleRate: number): Buffer {
  const dataBytes = samples.length * 2;
  const file = Buffer.alloc(44 + dataBytes);
  file.write("RIFF", 0, "latin1");
  file.writeUInt32LE(36 + dataBytes, 4);
  file.write("WAVEfmt ", 8, "latin1");
  file.writeUInt32LE(16, 16);
  file.writeUInt16LE(pcmFormat, 20);
  file.writeUInt16LE(1, 22);
  file.writeUInt32LE(sampleRate, 24);
  file.writeUInt32LE(sampleRate * 2, 28);
  file.writeUInt16LE(2, 32);
  file.writeUInt16LE(16, 34);
  file.write("data", 36, "latin1");
  file.writeUInt32LE(dataBytes, 40);
  for (const [index, sample] of samples.entries()) file.writeInt16LE(sample, 44 + index * 2);
  return file;
}
