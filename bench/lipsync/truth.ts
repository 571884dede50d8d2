// What the mouth should have done: phones with their times, and the jaw's opening that follows from them. A synthesizer tells
// its own times (espeak-ng by its events, flite by its list of phones); of recordings PocketSphinx's alignment is the truth.

import { spawn } from "node:child_process";
import { mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface Phone {
  /** As its source names it. */
  name: string;
  /** Of Oculus LipSync's fifteen. */
  viseme: string;
  startSeconds: number;
  endSeconds: number;
}

export interface Clip {
  text: string;
  /** Its sound, mono. */
  wav: string;
  samples: Int16Array;
  phones: Phone[];
}

export type Job =
  | { source: "espeak"; voice: string; wordsPerMinute: number; text: string }
  | { source: "flite"; voice: string; text: string }
  | { source: "recording"; path: string; text: string };

/** Of every clip. */
export const sampleRate = 16_000;
const wavHeaderBytes = 44;

/** Speaks or aligns each job into a file under `folder`; null for one that could not be. */
export async function truthsOf(jobs: readonly Job[], folder: string): Promise<(Clip | null)[]> {
  mkdirSync(folder, { recursive: true });
  const child = spawn("python3", [join(import.meta.dirname, "truths.py"), folder]);
  let json = "";
  let complaint = "";
  child.stdout.on("data", (chunk: Buffer) => (json += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  child.stdin.end(JSON.stringify(jobs));
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  if (code !== 0) throw new Error(`truths.py failed: ${complaint}`);
  type Told = { text: string; wav: string; phones: { p: string; s: number; e: number; v: string }[] } | null;
  return (JSON.parse(json) as Told[]).map((told) => {
    if (!told) return null;
    const bytes = readFileSync(told.wav).subarray(wavHeaderBytes);
    return {
      text: told.text,
      wav: told.wav,
      samples: new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length)),
      phones: told.phones.map(({ p, s, e, v }) => ({ name: p, viseme: v, startSeconds: s, endSeconds: e })),
    };
  });
}

/** Jaw opening, 0..1, of each viseme: the field's scoring convention, as in native/model/phones.py. */
const openness: Record<string, number> = {
  sil: 0,
  PP: 0,
  FF: 0.15,
  TH: 0.25,
  DD: 0.2,
  kk: 0.3,
  CH: 0.25,
  SS: 0.15,
  nn: 0.25,
  RR: 0.3,
  aa: 1,
  E: 0.7,
  I: 0.4,
  O: 0.7,
  U: 0.35,
};

/** Jaw opening sampled at the given times, smoothed over 70 ms. Times are seconds from the clip's first sample. */
export function jawCurve(phones: readonly Phone[], times: readonly number[]): number[] {
  const raw = (time: number): number => {
    const phone = phones.find(({ startSeconds, endSeconds }) => time >= startSeconds && time < endSeconds);
    return openness[phone?.viseme ?? "sil"] ?? 0;
  };
  const halfWindow = 0.035;
  const stepSeconds = 0.005;
  return times.map((time) => {
    let sum = 0;
    let count = 0;
    for (let t = time - halfWindow; t <= time + halfWindow; t += stepSeconds) {
      sum += raw(t);
      count += 1;
    }
    return sum / count;
  });
}
