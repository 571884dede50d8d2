// Lip sync from the outside: what Chromium decodes, read with the landmark model, against the synthesizer's own times.
//
//   node bench/lipsync/measure.ts [avatar] [voice]
//
// Prints closure on p/b/m, the correlation of lip aperture with the truth's jaw opening, and the audio-video offset.
// Exits 1 when a floor is missed. LIPSYNC_KEEP names a folder that keeps the recording and its frames.

import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBox } from "../../test/harness/box.ts";
import { LipReader } from "../../test/harness/lips.ts";
import { holds, median, report } from "../report.ts";
import { recordSpeech, type Recording } from "./record.ts";
import { bestOffset, locate, minimumWithin, quantile, valueAt, type Track } from "./score.ts";
import { isBilabial, jawCurve, speakClause, type SpokenClause } from "./truth.ts";

const [avatar = "maya", voice = "en-us+f3"] = process.argv.slice(2);
/** What the box asks espeak-ng for. */
const wordsPerMinute = Number(process.env.ESPEAK_WPM || 165);

const texts = [
  "Please bring my map back before the boat leaves, Bob.",
  "My mother baked a big apple pie, and Peter ate the biggest piece.",
  "We may never know what the family above the shop was arguing about.",
  "A bright blue umbrella popped open in the middle of the empty market.",
  "Would you move the table, so that both of them can see the moon?",
  "Simple problems become important when nobody remembers who promised to help.",
];

/** A clause found in the recording: `startSeconds` is where its first sample is heard. */
interface PlacedClause extends SpokenClause {
  startSeconds: number;
}

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
 * Where a clause begins in the recording, in samples. A jitter buffer stretches and squeezes by a few milliseconds, so the
 * clause is found window by window; the median of the windows counts.
 */
function placeClause(
  needle: Float32Array,
  recording: Recording,
  from: number,
): { lag: number; score: number } {
  const second = recording.audioRate;
  const whole = locate(needle.subarray(0, second), recording.audio, { from, to: from + 6 * second });
  const window = Math.floor(second / 2);
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
    if (found.score > 0.6) lags.push(found.lag - start);
    scores.push(found.score);
  }
  return { lag: Math.round(median(lags.length > 0 ? lags : [whole.lag])), score: median(scores) };
}

/** Finds every clause in the recorded sound, in order. */
async function placeClauses(recording: Recording, folder: string): Promise<PlacedClause[]> {
  const placed: PlacedClause[] = [];
  let from = 0;
  for (const [index, text] of recording.clauses.entries()) {
    const clause = await speakClause({ text, voice, wordsPerMinute, folder, index });
    const needle = resample(clause.samples, clause.sampleRate, recording.audioRate);
    const { lag, score } = placeClause(needle, recording, from);
    if (score < 0.6)
      throw new Error(`"${text}" was not found in the recording (correlation ${score.toFixed(2)}).`);
    placed.push({ ...clause, startSeconds: lag / recording.audioRate });
    from = lag + Math.floor(needle.length * 0.8);
  }
  return placed;
}

async function lipTrack(recording: Recording): Promise<Track> {
  const reader = await LipReader.open();
  try {
    const track: Track = { times: [], values: [] };
    for (const frame of recording.frames) {
      const lips = await reader.read(frame.path);
      if (!lips) continue;
      track.times.push(frame.seconds);
      track.values.push(lips.aperture);
    }
    return track;
  } finally {
    await reader.close();
  }
}

const keep = process.env.LIPSYNC_KEEP;
if (keep) mkdirSync(keep, { recursive: true });
const folder = keep ?? mkdtempSync(join(tmpdir(), "visavis-lipsync-"));
const box = await startBox();
try {
  const recording = await recordSpeech({ boxUrl: box.url, avatar, voice, texts, folder });
  const clauses = await placeClauses(recording, folder);
  const lips = await lipTrack(recording);

  // The truth on the recording's clock, sampled every 10 ms while somebody speaks.
  const truth: Track = { times: [], values: [] };
  for (const clause of clauses) {
    const seconds = clause.samples.length / clause.sampleRate;
    const times = Array.from({ length: Math.floor(seconds * 100) }, (_, i) => i / 100);
    truth.times.push(...times.map((time) => clause.startSeconds + time));
    truth.values.push(...jawCurve(clause.phonemes, times));
  }
  // On the sender's clock; the browser then plays sound and picture some milliseconds apart.
  const { offsetSeconds, best } = bestOffset(lips, truth);
  const behindSeconds = recording.soundBehindMs / 1000;
  const seenOffsetMs = (offsetSeconds - behindSeconds) * 1000;

  // Shut is near what the lips show at rest, before anything is said.
  const firstWord = Math.min(...clauses.map((clause) => clause.startSeconds));
  const resting = lips.values.filter((_, i) => (lips.times[i] ?? 0) < firstWord - 0.2);
  const speaking = truth.times.map((time) => valueAt(lips, time + offsetSeconds));
  const rest = quantile(resting, 0.5);
  const shutBelow = rest + 0.15 * (quantile(speaking, 0.95) - rest);
  const closures = clauses.flatMap((clause) =>
    clause.phonemes
      .filter((phoneme) => isBilabial(phoneme.ipa))
      .map((phoneme) => ({
        from: clause.startSeconds + phoneme.startSeconds - 0.04,
        to: clause.startSeconds + phoneme.endSeconds + 0.02,
      })),
  );
  const shut = closures.filter(({ from, to }) => minimumWithin(lips, from, to) <= shutBelow);
  const shutAnyway = speaking.filter((value) => value <= shutBelow).length / speaking.length;

  console.log(
    `${avatar}, ${voice}: ${recording.frames.length} frames, ${lips.times.length} with a face, ` +
      `${clauses.length} clauses, ${closures.length} closures; lips shut ${(100 * shutAnyway).toFixed(0)} % of the time spoken`,
  );
  const rows = [
    report({
      name: "lips shut on p, b, m",
      value: (100 * shut.length) / closures.length,
      unit: "%",
      floor: { atLeast: 85 },
    }),
    report({ name: "aperture against jaw opening, r", value: best, unit: "", floor: { atLeast: 0.7 } }),
    report({
      name: "lips late by, as seen and heard",
      value: seenOffsetMs,
      unit: "ms",
      floor: { atMost: 40 },
    }),
    report({ name: "lips early by", value: -seenOffsetMs, unit: "ms", floor: { atMost: 40 } }),
  ];
  report({ name: "of it: lips late on the sender's clock", value: offsetSeconds * 1000, unit: "ms" });
  report({ name: "of it: sound played behind picture", value: recording.soundBehindMs, unit: "ms" });
  if (!rows.every(holds)) process.exitCode = 1;
} finally {
  await box.stop();
  if (!keep) rmSync(folder, { recursive: true, force: true });
}
