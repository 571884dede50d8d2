// A clip that a voice is cloned from: one person's speech, without the silence around it, and neither faint nor too loud.

import { limits } from "../../contract/limits.ts";
import { Refusal } from "../failure.ts";
import type { Pcm } from "./voice.ts";

export const clipSampleRate = 24_000;

const frameMs = 20;
/** What stays before the first and after the last sound. */
const marginMs = 150;
/** Below this, and this far below the loudest of a clip, nobody speaks: about -54 and -40 dB. */
const silence = { absolute: 0.002, relative: 0.01 };
/** A peak of -1 dB; clips that are fainter are raised, by at most 24 dB: more would raise noise alone. */
const peak = 0.89;
const mostGain = 16;

/** The clip as a speech server gets it. Throws Refusal: `audio_too_short`, `audio_too_long`. */
export function cleanClip({ samples, sampleRate }: Pcm): Pcm {
  const { min, max } = limits.voiceClipSeconds;
  if (samples.length > (max + 0.25) * sampleRate)
    throw new Refusal("audio_too_long", `The clip is longer than ${max} seconds.`);
  const spoken = withoutSilence(samples, sampleRate);
  if (spoken.length < min * sampleRate) {
    const seconds = (spoken.length / sampleRate).toFixed(1);
    const message =
      samples.length < min * sampleRate
        ? `The clip is too short: it needs at least ${min} seconds of speech, and has ${seconds}.`
        : `The clip has too little speech: at least ${min} seconds are needed, and it has ${seconds} without its silence.`;
    throw new Refusal("audio_too_short", message);
  }
  return { samples: levelled(spoken), sampleRate };
}

function withoutSilence(samples: Int16Array, sampleRate: number): Int16Array {
  const length = Math.round((frameMs / 1000) * sampleRate);
  const levels: number[] = [];
  for (let at = 0; at < samples.length; at += length) {
    const frame = samples.subarray(at, at + length);
    let energy = 0;
    for (const sample of frame) energy += (sample / 32_768) ** 2;
    levels.push(Math.sqrt(energy / frame.length));
  }
  const loudest = levels.reduce((most, level) => Math.max(most, level), 0);
  const least = Math.max(silence.absolute, loudest * silence.relative);
  const first = levels.findIndex((level) => level >= least);
  if (first < 0) return new Int16Array();
  const last = levels.findLastIndex((level) => level >= least);
  const margin = Math.round((marginMs / 1000) * sampleRate);
  return samples.subarray(Math.max(0, first * length - margin), (last + 1) * length + margin);
}

function levelled(samples: Int16Array): Int16Array {
  let highest = 1;
  for (const sample of samples) highest = Math.max(highest, Math.abs(sample));
  const gain = Math.min(mostGain, (peak * 32_767) / highest);
  return samples.map((sample) => Math.round(sample * gain));
}
