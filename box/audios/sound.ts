// A sound file that is open, read piece by piece: ten minutes of it are never in memory at once.

import type { FileHandle } from "node:fs/promises";
import type { Pcm } from "../voices/voice.ts";
import { wavHeaderBytes, type WavFacts } from "./wav-header.ts";

const pieceSeconds = 0.2;

export class Sound {
  readonly #file: FileHandle;
  readonly #facts: WavFacts;
  #closing: Promise<void> | null = null;

  constructor(file: FileHandle, facts: WavFacts) {
    this.#file = file;
    this.#facts = facts;
  }

  get durationMs(): number {
    return (this.#facts.samples / this.#facts.sampleRate) * 1000;
  }

  /** Its samples, as fast as they are asked for. */
  async *pieces(): AsyncGenerator<Pcm, void, undefined> {
    const { sampleRate, samples } = this.#facts;
    const step = Math.round(sampleRate * pieceSeconds);
    for (let at = 0; at < samples; at += step) {
      const wanted = Math.min(step, samples - at);
      // Its own buffer each time: whoever takes a piece may keep it.
      const bytes = Buffer.alloc(wanted * 2);
      const { bytesRead } = await this.#file.read(bytes, 0, bytes.length, wavHeaderBytes + at * 2);
      if (bytesRead === 0) return;
      const piece = new Int16Array(bytesRead >> 1);
      for (let index = 0; index < piece.length; index++) piece[index] = bytes.readInt16LE(index * 2);
      yield { samples: piece, sampleRate };
    }
  }

  /** Idempotent. */
  close(): Promise<void> {
    return (this.#closing ??= this.#file.close());
  }
}
