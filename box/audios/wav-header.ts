// The head of a WAV that this box wrote: 16-bit mono PCM behind a header of 44 bytes, however the write ended.

import type { FileHandle } from "node:fs/promises";
import { endianness } from "node:os";
import type { Pcm } from "../voices/voice.ts";
import { wavFile } from "../voices/wav.ts";

export const wavHeaderBytes = 44;

export interface WavFacts {
  sampleRate: number;
  samples: number;
}

/** A WAV as the pieces it is written in. Of a long sound nothing is copied, where the machine keeps samples as files do. */
export function wavPieces({ samples, sampleRate }: Pcm): Buffer[] {
  const head = wavFile(new Int16Array(), sampleRate);
  const view = Buffer.from(samples.buffer, samples.byteOffset, samples.byteLength);
  const data = endianness() === "LE" ? view : Buffer.from(view).swap16();
  head.writeUInt32LE(wavHeaderBytes - 8 + data.length, 4);
  head.writeUInt32LE(data.length, wavHeaderBytes - 4);
  return [head, data];
}

/** Null for a file that is no such WAV. */
export async function readWavFacts(file: FileHandle): Promise<WavFacts | null> {
  const head = Buffer.alloc(wavHeaderBytes);
  const { bytesRead } = await file.read(head, 0, wavHeaderBytes, 0);
  if (bytesRead < wavHeaderBytes || head.toString("latin1", 0, 4) !== "RIFF") return null;
  const sampleRate = head.readUInt32LE(24);
  if (sampleRate < 8_000 || sampleRate > 48_000) return null;
  const { size } = await file.stat();
  return { sampleRate, samples: Math.floor((size - wavHeaderBytes) / 2) };
}
