// Speech made for measuring: espeak-ng's, at 16 kHz, with known words, pauses, level and noise.

import { execFile } from "node:child_process";
import { promisify } from "node:util";

const run = promisify(execFile);
const rate = 16_000;

export interface SpokenWord {
  text: string;
  endMs: number;
}

export interface Utterance {
  samples: Int16Array;
  words: SpokenWord[];
  /** Where a pause ends and speech goes on. */
  resumesMs: number[];
  /** When the last sound of the last word ends. */
  endMs: number;
}

/** Speech as espeak-ng makes it, without the silence around it. */
export async function synthesize(text: string, voice: string, wordsPerMinute = 165): Promise<Float32Array> {
  const { stdout } = await run(
    "espeak-ng",
    ["-v", voice, "-s", String(wordsPerMinute), "--stdout", "--", text],
    {
      encoding: "buffer",
      maxBuffer: 1 << 26,
    },
  );
  return trimmed(resampled(readWav(stdout)));
}

export function readWav(file: Buffer): { samples: Float32Array; sampleRate: number } {
  let at = 12;
  let sampleRate = 0;
  let channels = 1;
  while (at + 8 <= file.length) {
    const name = file.toString("latin1", at, at + 4);
    // espeak-ng cannot know the length when it writes to a pipe.
    const size = Math.min(file.readUInt32LE(at + 4), file.length - at - 8);
    if (name === "fmt ") {
      channels = file.readUInt16LE(at + 10);
      sampleRate = file.readUInt32LE(at + 12);
      if (file.readUInt16LE(at + 22) !== 16) throw new Error("Only 16-bit PCM is read.");
    } else if (name === "data") {
      const count = Math.floor(size / 2 / channels);
      const samples = new Float32Array(count);
      for (let index = 0; index < count; index += 1)
        samples[index] = file.readInt16LE(at + 8 + index * 2 * channels) / 32_768;
      return { samples, sampleRate };
    }
    at += 8 + size + (size % 2);
  }
  throw new Error("The WAV file holds no samples.");
}

export function resampled({
  samples,
  sampleRate,
}: {
  samples: Float32Array;
  sampleRate: number;
}): Float32Array {
  const step = sampleRate / rate;
  const result = new Float32Array(Math.floor(samples.length / step));
  for (let index = 0; index < result.length; index += 1) {
    const left = Math.floor(index * step);
    const before = samples[left] ?? 0;
    result[index] = before + ((samples[left + 1] ?? before) - before) * (index * step - left);
  }
  return result;
}

function trimmed(samples: Float32Array): Float32Array {
  let peak = 0;
  for (const sample of samples) peak = Math.max(peak, Math.abs(sample));
  const heard = (sample: number) => Math.abs(sample) > peak * 0.02;
  return samples.slice(samples.findIndex(heard), samples.findLastIndex(heard) + 1);
}

/** Deterministic noise, −1..1. */
export function randomly(seed: number): () => number {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 31 - 1;
  };
}

export const loudness = (samples: Float32Array): number =>
  Math.sqrt(samples.reduce((sum, sample) => sum + sample * sample, 0) / Math.max(1, samples.length));

export const gainOf = (db: number): number => 10 ** (db / 20);

/** Speech at `levelDb` below full scale over a room's noise at `noiseDb`, quiet before and after. */
export function mix(
  parts: readonly { samples: Float32Array; atMs: number; levelDb: number }[],
  { lengthMs, noiseDb, seed }: { lengthMs: number; noiseDb: number; seed: number },
): Int16Array {
  const mixed = new Float32Array(Math.ceil(lengthMs * 16));
  const noise = randomly(seed);
  const noiseGain = gainOf(noiseDb) * Math.sqrt(3);
  // A room's noise is stronger below: a one-pole low-pass on white noise.
  let low = 0;
  for (let index = 0; index < mixed.length; index += 1) {
    low += 0.2 * (noise() - low);
    mixed[index] = noiseGain * 3 * low;
  }
  for (const { samples, atMs, levelDb } of parts) {
    const gain = gainOf(levelDb) / (loudness(samples) || 1);
    const start = Math.round(atMs * 16);
    for (let index = 0; index < samples.length && start + index < mixed.length; index += 1)
      mixed[start + index] = (mixed[start + index] ?? 0) + gain * (samples[index] ?? 0);
  }
  return Int16Array.from(mixed, (sample) => Math.max(-32_768, Math.min(32_767, Math.round(sample * 32_767))));
}

/** A sentence with its pauses (|), which take `pauseMs(index)` each. */
export async function utterance(
  sentence: string,
  {
    voice,
    pauseMs,
    levelDb,
    noiseDb,
    seed,
  }: { voice: string; pauseMs: (index: number) => number; levelDb: number; noiseDb: number; seed: number },
): Promise<Utterance> {
  const parts: { samples: Float32Array; atMs: number; levelDb: number }[] = [];
  const words: SpokenWord[] = [];
  const resumesMs: number[] = [];
  let atMs = 500;
  for (const [index, piece] of sentence.split("|").entries()) {
    const samples = await synthesizeOnce(piece.trim(), voice);
    if (index > 0) {
      atMs += pauseMs(index - 1);
      resumesMs.push(atMs);
    }
    parts.push({ samples, atMs, levelDb });
    const durationMs = samples.length / 16;
    const said = piece.trim().split(/\s+/u);
    const letters = said.reduce((sum, word) => sum + word.length + 1, 0);
    let before = 0;
    for (const text of said) {
      before += text.length + 1;
      words.push({ text, endMs: atMs + (durationMs * before) / letters });
    }
    atMs += durationMs;
  }
  const samples = mix(parts, { lengthMs: atMs + 3_500, noiseDb, seed });
  return { samples, words, resumesMs, endMs: atMs };
}

const made = new Map<string, Promise<Float32Array>>();

function synthesizeOnce(text: string, voice: string): Promise<Float32Array> {
  const key = `${voice} ${text}`;
  const promise = made.get(key) ?? synthesize(text, voice);
  made.set(key, promise);
  return promise;
}
