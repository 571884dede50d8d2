import { execFile } from "node:child_process";
import { mkdtemp, readdir, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, expect, test } from "vitest";
import { WavReader } from "../voices/wav.ts";
import { frameSamples, VoiceActivity, type SpeechScorer } from "./voice-activity.ts";

const run = promisify(execFile);
let activity: VoiceActivity;

beforeAll(async () => {
  activity = await VoiceActivity.load();
});
afterAll(() => activity.close());

async function scores(scorer: SpeechScorer, samples: Int16Array): Promise<number[]> {
  const all: number[] = [];
  for (let at = 0; at + frameSamples <= samples.length; at += frameSamples)
    all.push(await scorer.score(samples.subarray(at, at + frameSamples)));
  return all;
}

const noise = (seconds: number, level: number): Int16Array => {
  let state = 1;
  return Int16Array.from({ length: seconds * 16_000 }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.round(level * (state / 2 ** 31 - 1));
  });
};

const mean = (values: number[]): number => values.reduce((sum, value) => sum + value, 0) / values.length;

/** espeak-ng's, at 16 kHz. */
async function speech(text: string): Promise<Int16Array> {
  const { stdout } = await run("espeak-ng", ["-v", "en-us+f3", "--stdout", "--", text], {
    encoding: "buffer",
    maxBuffer: 1 << 24,
  });
  const pcm = new WavReader().push(stdout);
  if (!pcm) throw new Error("espeak-ng said nothing.");
  const { samples, sampleRate } = pcm;
  const step = sampleRate / 16_000;
  return Int16Array.from(
    { length: Math.floor(samples.length / step) },
    (_, index) => samples[Math.floor(index * step)] ?? 0,
  );
}

test("speech is told from silence and noise", async () => {
  const spoken = await speech("Good morning, I would like to ask you something about the weather.");
  expect(mean(await scores(activity.scorer(), spoken))).toBeGreaterThan(0.8);
  expect(Math.max(...(await scores(activity.scorer(), new Int16Array(32_000))))).toBeLessThan(0.35);
  expect(Math.max(...(await scores(activity.scorer(), noise(2, 600))))).toBeLessThan(0.5);
});

test("listeners do not hear each other", async () => {
  const spoken = (await speech("One, two, three, four, five.")).subarray(0, 16_000);
  const alone = await scores(activity.scorer(), spoken);
  const one = activity.scorer();
  const other = activity.scorer();
  const [beside] = await Promise.all([scores(one, spoken), scores(other, noise(1, 3_000))]);
  expect(beside).toEqual(alone);
});

test("the network's runtime leaves no trace in the user's home and reports to nobody", async () => {
  const home = await mkdtemp(join(tmpdir(), "visavis-home-"));
  const load =
    'const { VoiceActivity } = await import("./voice-activity.ts"); await (await VoiceActivity.load()).close();';
  await run(process.execPath, ["--input-type=module", "-e", load], {
    cwd: import.meta.dirname,
    env: { PATH: process.env["PATH"], HOME: home },
  });
  expect(await readdir(home, { recursive: true })).toEqual([]);
  await rm(home, { recursive: true });
});
