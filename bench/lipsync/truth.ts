// What the mouth should have done, from the synthesizer's own phoneme events.

import { spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Phoneme {
  /** IPA symbol; empty for a pause. */
  ipa: string;
  startSeconds: number;
  endSeconds: number;
}

export interface SpokenClause {
  text: string;
  sampleRate: number;
  samples: Int16Array;
  phonemes: Phoneme[];
}

/** Speaks one clause with libespeak-ng exactly as the box does, and keeps its phoneme times. */
export async function speakClause(options: {
  text: string;
  voice: string;
  wordsPerMinute: number;
  folder: string;
  index: number;
}): Promise<SpokenClause> {
  const wav = join(options.folder, `clause-${options.index}.wav`);
  const script = join(import.meta.dirname, "espeak_events.py");
  const child = spawn("python3", [script, options.voice, String(options.wordsPerMinute), wav]);
  let json = "";
  let complaint = "";
  child.stdout.on("data", (chunk: Buffer) => (json += chunk.toString()));
  child.stderr.on("data", (chunk: Buffer) => (complaint += chunk.toString()));
  child.stdin.end(options.text);
  const code = await new Promise((resolve, reject) => {
    child.once("error", reject).once("close", resolve);
  });
  if (code !== 0) throw new Error(`espeak_events.py failed: ${complaint}`);
  const report = JSON.parse(json) as {
    sample_rate: number;
    seconds: number;
    phonemes: { p: string; s: number }[];
  };
  const phonemes = report.phonemes.map((phoneme, i) => ({
    ipa: phoneme.p,
    startSeconds: phoneme.s,
    endSeconds: report.phonemes[i + 1]?.s ?? report.seconds,
  }));
  const headerBytes = 44;
  const bytes = readFileSync(wav).subarray(headerBytes);
  const samples = new Int16Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return { text: options.text, sampleRate: report.sample_rate, samples, phonemes };
}

/** Consonants that need the lips shut. */
export const isBilabial = (ipa: string): boolean => /^[pbm]/.test(ipa);

/** Jaw opening, 0..1, of each sound: the openness of its viseme as the field's scoring convention has it. */
const opening: [RegExp, number][] = [
  [/^[pbm]/, 0],
  [/^[fv]/, 0.15],
  [/^[θð]/, 0.25],
  [/^(t|d)ʃ|^dʒ|^[ʃʒ]/, 0.25],
  [/^[tdɾ]/, 0.2],
  [/^[kɡgŋxɣ]/, 0.3],
  [/^[sz]/, 0.15],
  [/^[nlɫɬ]/, 0.25],
  [/^[ɹrʁ]/, 0.3],
  [/^w/, 0.35],
  [/^j/, 0.4],
  [/^[aɑɐʌæ]/, 1],
  [/^[eɛəɜɚɝ]/, 0.7],
  [/^[iɪᵻɨy]/, 0.4],
  [/^[oɔɒø]/, 0.7],
  [/^[uʊ]/, 0.35],
];

const openness = (ipa: string): number | null => {
  const symbol = ipa.replace(/^[ˈˌ]/, "");
  if (symbol === "") return 0;
  // h has no shape of its own.
  return opening.find(([pattern]) => pattern.test(symbol))?.[1] ?? null;
};

/** Jaw opening sampled at the given times, smoothed over 70 ms. Times are seconds from the clause's first sample. */
export function jawCurve(phonemes: readonly Phoneme[], times: readonly number[]): number[] {
  const raw = (time: number): number => {
    const index = phonemes.findIndex((phoneme) => time >= phoneme.startSeconds && time < phoneme.endSeconds);
    if (index < 0) return 0;
    for (let i = index; i < phonemes.length; i += 1) {
      const value = openness(phonemes[i]?.ipa ?? "");
      if (value !== null) return value;
    }
    return 0;
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
