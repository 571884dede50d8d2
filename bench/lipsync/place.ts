// Where in what was heard each clip lies.

import { median } from "../report.ts";
import type { Recording } from "./record.ts";
import { locate } from "./score.ts";
import { sampleRate, type Clip } from "./truth.ts";

/** A clip found in the recording: `startSeconds` is where its first sample is heard. */
export interface PlacedClip extends Clip {
  startSeconds: number;
}

/** A correlation below this is not the clip: opus and a jitter buffer leave 0.9 of it. */
const leastScore = 0.6;

function resample(samples: Int16Array, from: number, to: number): Float32Array {
  const out = new Float32Array(Math.floor((samples.length * to) / from));
  const step = from / to;
  const taps = Math.max(1, Math.round(step));
  for (let i = 0; i < out.length; i += 1) {
    // A box filter is enough to find a clip again.
    let sum = 0;
    for (let tap = 0; tap < taps; tap += 1) sum += samples[Math.floor(i * step) + tap] ?? 0;
    out[i] = sum / taps / 32_768;
  }
  return out;
}

/**
 * Where a clip begins in the recording, in samples. It may be stretched and squeezed by a few milliseconds on its way, so it
 * is found window by window; the median of the windows counts.
 */
function placeClip(
  needle: Float32Array,
  recording: Recording,
  { from, to }: { from: number; to: number },
): { lag: number; score: number } {
  const second = recording.audioRate;
  const whole = locate(needle.subarray(0, second), recording.audio, { from, to });
  const window = Math.min(Math.floor(second / 2), needle.length);
  const lags: number[] = [];
  const scores: number[] = [];
  for (let start = 0; start + window <= needle.length; start += window) {
    const expected = whole.lag + start;
    const slack = Math.floor(second * 0.06);
    const found = locate(needle.subarray(start, start + window), recording.audio, {
      from: expected - slack,
      to: expected + slack,
      stride: 1,
    });
    if (found.score > leastScore) lags.push(found.lag - start);
    scores.push(found.score);
  }
  return { lag: Math.round(median(lags.length > 0 ? lags : [whole.lag])), score: median(scores) };
}

/** Finds the clips in the recorded sound, in order. One whose sound was lost on the way is left out, and said to be. */
export function placeClips(clips: readonly Clip[], recording: Recording): PlacedClip[] {
  const placed: PlacedClip[] = [];
  let from = 0;
  let to = recording.audio.length;
  for (const clip of clips) {
    const needle = resample(clip.samples, sampleRate, recording.audioRate);
    const { lag, score } = placeClip(needle, recording, { from, to });
    if (!(score >= leastScore)) {
      console.log(
        `  left out, not found in what was heard (correlation ${score.toFixed(2)}): "${clip.text}"`,
      );
      to += needle.length + 4 * recording.audioRate;
      continue;
    }
    placed.push({ ...clip, startSeconds: lag / recording.audioRate });
    // The next one begins soon after this one ends.
    from = lag + Math.floor(needle.length * 0.8);
    to = lag + needle.length + 4 * recording.audioRate;
  }
  return placed;
}
