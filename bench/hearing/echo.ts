// Whether the avatar hears itself through a loudspeaker, and whether it still hears the speaker.

import type { VoiceActivity } from "../../box/hearing/voice-activity.ts";
import { Playback } from "../../box/live/playback.ts";
import { report, type Row } from "../report.ts";
import { drive } from "./drive.ts";
import { Oracle } from "./oracle.ts";
import { percentile } from "./percentile.ts";
import { mix, randomly, synthesize, type SpokenWord } from "./speech.ts";

const avatarVoice = "en-us+f3";
const avatarTexts = [
  "The museum was founded two hundred years ago by a small group of travellers who had seen much of the world. They brought back paintings, maps and musical instruments, and the collection has grown ever since. Today more than a million people visit it every year.",
  "A good loaf of bread needs very little: flour, water, salt and time. Mix everything in the evening and let it rest until the morning. Then shape it gently, heat the oven as hot as it will go, and bake it for forty minutes until the crust is dark.",
  "Last summer we walked along the coast for nine days. The weather changed every hour, from bright sunshine to heavy rain and back again. On the last evening we sat on the rocks and watched the boats come home to the harbour.",
];
const speakerVoice = "en-gb+m3";
const speakerTexts = [
  "wait a moment I have a question",
  "no that is not what I meant",
  "stop please I would like to know something else",
];

/** What comes back: from a loudspeaker beside a microphone to what a browser's canceller leaves. */
const levels = [null, -6, -12, -20, -30];
const delaysMs = [60, 150, 300, 600, 900];
const speakerDb = -20;
const noiseDb = -62;
const utteranceAtMs = 600;
/** Packets of the microphone come up to this late. */
const latestMs = 60;

/** A small room: the direct sound, a few walls, and a tail that fades; and a loudspeaker without bass. */
export function inRoom(samples: Float32Array, seed: number): Float32Array {
  const random = randomly(seed);
  const taps: { at: number; gain: number }[] = [{ at: 0, gain: 1 }];
  for (let index = 0; index < 40; index += 1) {
    const ms = 3 + index * 6 + 3 * random();
    taps.push({ at: Math.round(ms * 16), gain: 0.5 * random() * Math.exp(-ms / 80) });
  }
  const wet = new Float32Array(samples.length + 16 * 300);
  for (const { at, gain } of taps)
    for (let index = 0; index < samples.length; index += 1)
      wet[index + at] = (wet[index + at] ?? 0) + gain * (samples[index] ?? 0);
  // A one-pole high-pass at about 300 Hz.
  let low = 0;
  return wet.map((sample) => {
    low += 0.11 * (sample - low);
    return sample - low;
  });
}

interface Scene {
  activity: VoiceActivity;
  text: string;
  voice: Float32Array;
  /** Relative to the speaker's level; null: nothing comes back. */
  echoDb: number | null;
  delayMs: number;
  seed: number;
  bargeIn?: { samples: Float32Array; atMs: number; text: string };
}

async function play({ activity, text, voice, echoDb, delayMs, seed, bargeIn }: Scene) {
  const playback = new Playback();
  const random = randomly(seed);
  const lengthMs = utteranceAtMs + voice.length / 16 + 2_500;
  const parts = [];
  if (echoDb !== null)
    parts.push({ samples: inRoom(voice, seed), atMs: utteranceAtMs + delayMs, levelDb: speakerDb + echoDb });
  if (bargeIn) parts.push({ samples: bargeIn.samples, atMs: bargeIn.atMs, levelDb: speakerDb });
  const samples = mix(parts, { lengthMs, noiseDb, seed });
  const endsMs = utteranceAtMs + voice.length / 16;
  let state: "before" | "during" | "after" = "before";
  const words: SpokenWord[] = bargeIn
    ? bargeIn.text.split(" ").map((word, index) => ({ text: word, endMs: bargeIn.atMs + 250 * (index + 1) }))
    : [];
  const heard = await drive({
    samples,
    oracle: new Oracle(words, " "),
    scorer: activity.scorer(),
    language: "en",
    playback,
    lateMs: () => latestMs * Math.abs(random()),
    before(nowMs) {
      if (state === "before" && nowMs >= utteranceAtMs) {
        state = "during";
        playback.say(1, text);
        const pcm = Int16Array.from(voice, (sample) => Math.round(sample * 20_000));
        for (let at = 0; at < pcm.length; at += 3_200)
          playback.made(1, at / 16, { samples: pcm.subarray(at, at + 3_200), sampleRate: 16_000 });
        playback.started(1, utteranceAtMs);
      } else if (state === "during" && nowMs >= endsMs) {
        state = "after";
        playback.ended(1);
      }
    },
  });
  return heard.filter(({ event }) => event.case === "speech_started").map(({ atMs }) => atMs);
}

export async function measureEcho(
  activity: VoiceActivity,
  { verbose = false, rounds = delaysMs.length }: { verbose?: boolean; rounds?: number } = {},
): Promise<Row[]> {
  const rows: Row[] = [];
  const voices = await Promise.all(avatarTexts.map((text) => synthesize(text, avatarVoice)));
  const speakers = await Promise.all(speakerTexts.map((text) => synthesize(text, speakerVoice)));
  for (const echoDb of levels) {
    let minutes = 0;
    let own = 0;
    let missed = 0;
    let barged = 0;
    const bargeMs: number[] = [];
    for (const [round, delayMs] of (echoDb === null
      ? [150]
      : delaysMs.toReversed().slice(0, rounds)
    ).entries())
      for (const [index, voice] of voices.entries()) {
        const scene = {
          activity,
          text: avatarTexts[index] ?? "",
          voice,
          echoDb,
          delayMs,
          seed: 7 + round * 3 + index,
        };
        const self = await play(scene);
        own += self.length;
        minutes += voice.length / 16 / 60_000;
        const samples = speakers[index];
        if (!samples) continue;
        const atMs = utteranceAtMs + 4_000 + 1_000 * round;
        const started = await play({ ...scene, bargeIn: { samples, atMs, text: speakerTexts[index] ?? "" } });
        const first = started.find((ms) => ms >= atMs && ms < atMs + samples.length / 16 + 400);
        barged += 1;
        if (first === undefined) missed += 1;
        else bargeMs.push(first - atMs);
        if (verbose)
          console.log(
            `  ${echoDb} dB ${delayMs} ms: own ${self.map(Math.round).join()}; barge-in ${first === undefined ? "missed" : Math.round(first - atMs)} of ${started.map(Math.round).join()}`,
          );
      }
    const name = echoDb === null ? "no echo" : `echo at ${echoDb} dB`;
    rows.push(
      report({
        name: `${name}: the avatar stops for itself (${own} times)`,
        value: own / minutes,
        unit: "a minute",
      }),
      report({
        name: `${name}: it stops for the speaker, who began before, median`,
        value: percentile(bargeMs, 0.5),
        unit: "ms",
      }),
      report({ name: `${name}: …p95`, value: percentile(bargeMs, 0.95), unit: "ms" }),
      report({
        name: `${name}: speakers not heard (${missed} of ${barged})`,
        value: (100 * missed) / barged,
        unit: "%",
      }),
    );
  }
  return rows;
}
