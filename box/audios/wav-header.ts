// The head of a WAV that this box wrote: 16-bit mono PCM behind a header of 44 bytes, however the write ended.

import type { FileHandle } from "node:fs/promises";

export const wavHeaderBytes = 44;

export interface WavFacts {
  sampleRate: number;
  samples: number;
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
