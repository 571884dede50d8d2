// Lip sync from the outside: what Chromium decodes, read with the landmark model, against the times of what is said. These
// come from espeak-ng's events, from flite's own times, and for people's recordings from PocketSphinx, which aligns them with
// their words. Only the last are estimates.
//
//   node bench/lipsync/measure.ts [avatar:voice…]
//
// Voices that the viseme net was never trained on, one of them spoken live by the box's own engine, and recordings of people
// (voices.ts). Prints closure on p, b and m, the correlation of the lips' aperture with the jaw's opening, the offset of
// picture against sound, how much of what was said and shown could be judged, and what stands beside them. Exits 1 when a
// floor is missed or a take fails; one whose Debian package is not there is skipped, and said to be. LIPSYNC_KEEP names a
// folder that keeps what was recorded and read; what lies there already is judged again without being recorded again.

import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { startBox, type BoxProcess } from "../../test/harness/box.ts";
import { LipReader } from "../../test/harness/lips.ts";
import { wordsPerMinute } from "../../box/voices/espeak.ts";
import { describeRow, holds, report, type Row } from "../report.ts";
import { judge, type Event, type Said, type Verdict } from "./judge.ts";
import { placeClips } from "./place.ts";
import { leadInSeconds, recordSpeech, type Recording } from "./record.ts";
import { coverageRows, lipRows } from "./rows.ts";
import type { Track } from "./score.ts";
import { sampleRate, truthsOf, type Clip, type Job } from "./truth.ts";
import { voices, type Voice } from "./voices.ts";

/** Every voice on one face, and the other face with one voice of each kind. */
const everyPair = [...voices.map(({ id }) => `maya:${id}`), "theo:en-us+f3", "theo:librivox"];
/** Between clips of one file: lips come to rest. */
const pauseSeconds = 0.6;
/** Of a live face. */
const framesPerSecond = 25;

const clipsOf = async (jobs: readonly Job[], folder: string): Promise<Clip[]> => {
  const clips = await truthsOf(jobs, folder);
  clips.forEach((clip, i) => {
    if (!clip) console.log(`  left out, its words could not be aligned: "${jobs[i]?.text}"`);
  });
  return clips.filter((clip) => clip !== null);
};

/** The clips one after the other, after a lead-in at rest. */
function soundOf(clips: readonly Clip[]): Int16Array {
  const pause = Math.round(pauseSeconds * sampleRate);
  let length = Math.round(leadInSeconds * sampleRate);
  const at = clips.map(({ samples }) => {
    const begin = length;
    length += samples.length + pause;
    return begin;
  });
  const sound = new Int16Array(length + sampleRate);
  clips.forEach(({ samples }, i) => sound.set(samples, at[i]));
  return sound;
}

async function lipTrack(recording: Recording): Promise<Track> {
  const reader = await LipReader.open();
  try {
    const track: Track = { times: [], values: [] };
    for (const frame of recording.frames) {
      const lips = await reader.follow(frame.path);
      if (!lips) continue;
      track.times.push(frame.seconds);
      track.values.push(lips.aperture);
    }
    return track;
  } finally {
    await reader.close();
  }
}

/** What an earlier run recorded into `folder`, or what `record` does now. */
async function recordOnce(folder: string, record: () => Promise<Recording>): Promise<Recording> {
  const facts = join(folder, "recording.json");
  const sound = join(folder, "heard.f32");
  if (existsSync(facts)) {
    const bytes = readFileSync(sound);
    const audio = new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
    return { ...(JSON.parse(readFileSync(facts, "utf8")) as Omit<Recording, "audio">), audio };
  }
  const recording = await record();
  const { audio, ...rest } = recording;
  writeFileSync(sound, audio);
  writeFileSync(facts, JSON.stringify(rest));
  return recording;
}

/** One voice on one face: recorded now, or by an earlier run into the same folder. */
interface Take {
  name: string;
  voice: Voice;
  folder: string;
  recording: Recording;
  /** How many clips there were to say; `clips` are those that were found. */
  wanted: number;
  clips: Said[];
}

async function take(
  boxUrl: () => Promise<string>,
  avatar: string,
  voice: Voice,
  folder: string,
): Promise<Take> {
  mkdirSync(folder, { recursive: true });
  const prepared = voice.live ? [] : await clipsOf(voice.jobs, folder);
  const speech = voice.live ?? { samples: soundOf(prepared), sampleRate };
  const recording = await recordOnce(folder, async () =>
    recordSpeech({ boxUrl: await boxUrl(), avatar, speech, folder }),
  );
  const jobs: readonly Job[] = voice.live
    ? recording.clauses.map((text) => ({ source: "espeak", voice: voice.id, wordsPerMinute, text }))
    : voice.jobs;
  const clips = voice.live ? await clipsOf(jobs, folder) : prepared;
  const said = placeClips(clips, recording).map(({ text, startSeconds, samples, phones }) => ({
    text,
    startSeconds,
    seconds: samples.length / sampleRate,
    phones,
  }));
  const name = `${avatar}, ${voice.id}`;
  return { name, voice, folder, recording, wanted: jobs.length, clips: said };
}

/** The lips of a take, read once. */
async function read({ folder, recording }: Take): Promise<Track> {
  const kept = join(folder, "lips.json");
  if (existsSync(kept)) return JSON.parse(readFileSync(kept, "utf8")) as Track;
  const lips = await lipTrack(recording);
  writeFileSync(kept, JSON.stringify(lips));
  return lips;
}

const percent = (share: number) => `${(100 * share).toFixed(0)} %`;

function list(title: string, events: readonly Event[]): void {
  if (events.length === 0) return;
  console.log(`  ${title}:`);
  for (const { text, name, seconds, least } of events) {
    console.log(
      `    ${name} at ${seconds.toFixed(2)} s, lips ${percent(least)} open, of "${text.slice(0, 60)}"`,
    );
  }
}

function tell(verdict: Verdict, { recording, clips }: Take, lips: Track): void {
  const { frames, lostSeconds, soundBehindMs } = recording;
  const watchedSeconds = (frames.at(-1)?.seconds ?? 0) - (frames[0]?.seconds ?? 0);
  const share = frames.length / Math.max(1, Math.round(watchedSeconds * framesPerSecond) + 1);
  console.log(
    `  ${frames.length} frames, ${lips.times.length} with a face, ${clips.length} clips, ` +
      `${verdict.closures} closures in ${verdict.speechSeconds.toFixed(0)} s`,
  );
  if (share < 0.95 || lostSeconds > 0.2) {
    console.log(
      `  the machine was busy: ${percent(1 - share)} of the frames and ${lostSeconds.toFixed(1)} s of the sound never came, ` +
        "and what is measured suffers",
    );
  }
  console.log(
    `  control: shut on ${percent(verdict.shutOnOthers)} of other sounds, for ${percent(verdict.shutShare)} of the time; ` +
      `r ${verdict.chanceR.toFixed(2)} with truth three seconds later`,
  );
  console.log(
    `  shut without a reason ${verdict.falsePerMinute.toFixed(1)} times a minute; near the teeth on ` +
      `${percent(verdict.nearOnLabiodentals)} of ${verdict.labiodentals} f, v; on the sender's clock lips are late by ` +
      `${(verdict.offsetSeconds * 1000).toFixed(0)} ms, and the browser's sound by ${soundBehindMs.toFixed(0)} ms`,
  );
}

/** Judges a take, and tells. */
async function judged(take: Take): Promise<Row[]> {
  const { name, recording, clips, wanted } = take;
  const lips = await read(take);
  const frames = recording.frames.length;
  const coverage = { clips: wanted, placed: clips.length, frames, withFace: lips.times.length };
  const rows = coverageRows(name, coverage).map(report);
  if (clips.length === 0 || lips.times.length === 0) return rows;
  const verdict = judge(lips, clips);
  rows.push(...lipRows(name, verdict, recording.soundBehindMs).map(report));
  tell(verdict, take, lips);
  list("not shut on", verdict.missed);
  list("shut without a reason", verdict.falseAt);
  return rows;
}

/** Takes that are not in the table, and why. */
const skipped: string[] = [];
const failed: string[] = [];
/** The others go on where one take fails; at the end it counts. */
async function attempt<Result>(name: string, work: () => Promise<Result>): Promise<Result | undefined> {
  try {
    return await work();
  } catch (error) {
    failed.push(`${name}: failed, ${error instanceof Error ? error.message : String(error)}`);
    console.error(error);
    return undefined;
  }
}

const pairs = process.argv.length > 2 ? process.argv.slice(2) : everyPair;
const keep = process.env.LIPSYNC_KEEP;
const under = keep ?? mkdtempSync(join(tmpdir(), "visavis-lipsync-"));
let box: BoxProcess | undefined;
const boxUrl = async () => (box ??= await startBox()).url;
const takes: Take[] = [];
const rows: Row[] = [];
try {
  for (const pair of pairs) {
    const [avatar = "", id = ""] = pair.split(":");
    const voice = voices.find((each) => each.id === id);
    if (!voice) throw new Error(`There is no voice "${id}": ${voices.map((each) => each.id).join(", ")}.`);
    if (voice.missing) {
      skipped.push(`${avatar}, ${id}: skipped, ${voice.missing}`);
      console.log(skipped.at(-1));
      continue;
    }
    console.log(`recording ${avatar}, ${voice.title}`);
    const taken = await attempt(pair, () => take(boxUrl, avatar, voice, join(under, `${avatar}-${id}`)));
    if (taken) takes.push(taken);
  }
  // Nothing live is disturbed any more by the reading.
  await box?.stop();
  box = undefined;
  for (const each of takes) {
    console.log(`\n${each.name}: ${each.voice.title}`);
    rows.push(...((await attempt(each.name, () => judged(each))) ?? []));
  }
} finally {
  await box?.stop();
  if (!keep) rmSync(under, { recursive: true, force: true });
}
console.log("\nFloors");
for (const line of [...rows.map(describeRow), ...skipped, ...failed]) console.log(line);
if (rows.length === 0 || failed.length > 0 || !rows.every(holds)) process.exitCode = 1;
