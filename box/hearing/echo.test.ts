import { describe, expect, test } from "vitest";
import { Playback } from "../live/playback.ts";
import { Echo, type EchoVerdict } from "./echo.ts";
import { EchoWords } from "./echo-words.ts";

/** A voice-like sound: syllables of noise whose colour and level change at random, the same for the same seed. */
function babble(seconds: number, seed: number): Float32Array {
  let state = seed;
  const random = () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 2 ** 32;
  };
  const samples = new Float32Array(Math.round(seconds * 16_000));
  let at = 0;
  while (at < samples.length) {
    const length = Math.round(16 * (80 + 140 * random()));
    const loud = random() < 0.2 ? 0 : 0.2 + 0.8 * random();
    const pitch = 110 + 120 * random();
    const formants = [300 + 500 * random(), 900 + 1400 * random(), 2300 + 1200 * random()];
    for (let index = 0; index < length && at + index < samples.length; index += 1) {
      const t = (at + index) / 16_000;
      const swell = Math.sin((Math.PI * index) / length);
      let value = 0;
      for (let harmonic = 1; harmonic * pitch < 4_000; harmonic += 1) {
        const hertz = harmonic * pitch;
        const weight = Math.max(...formants.map((formant) => Math.exp(-(((hertz - formant) / 180) ** 2))));
        value += weight * Math.sin(2 * Math.PI * hertz * t);
      }
      samples[at + index] = 0.15 * loud * swell * value;
    }
    at += length;
  }
  const peak = samples.reduce((most, sample) => Math.max(most, Math.abs(sample)), 0);
  return samples.map((sample) => (0.7 * sample) / peak);
}

const frames = 512;

/** The verdicts over a microphone that hears `parts`, while `voice` plays from 1,000 ms on. */
function judge(voice: Float32Array, parts: { samples: Float32Array; atMs: number; gain: number }[]) {
  const echo = new Echo();
  const pcm = Int16Array.from(voice, (sample) => Math.round(sample * 32_000));
  for (let at = 0; at < pcm.length; at += 4_000)
    echo.played({ samples: pcm.subarray(at, at + 4_000), sampleRate: 16_000, atMs: 1_000 + at / 16 }, 0);
  const microphone = new Float32Array(16 * (1_000 + voice.length / 16 + 1_000));
  let noise = 1;
  for (let index = 0; index < microphone.length; index += 1) {
    noise = (Math.imul(noise, 1_664_525) + 1_013_904_223) >>> 0;
    microphone[index] = 0.0008 * (noise / 2 ** 31 - 1);
  }
  for (const { samples, atMs, gain } of parts)
    for (let index = 0; index < samples.length; index += 1) {
      const at = Math.round(atMs * 16) + index;
      if (at < microphone.length) microphone[at] = (microphone[at] ?? 0) + gain * (samples[index] ?? 0);
    }
  const verdicts: { endMs: number; speech: boolean; verdict: EchoVerdict }[] = [];
  for (let at = 0; at + frames <= microphone.length; at += frames) {
    const part = microphone.subarray(at, at + frames);
    const frame = Int16Array.from(part, (sample) => Math.round(sample * 32_767));
    const speech = part.some((sample) => Math.abs(sample) > 0.01);
    const endMs = (at + frames) / 16;
    verdicts.push({ endMs, speech, verdict: echo.judge(frame, { endMs, speech }) });
  }
  return { echo, verdicts };
}

const share = (verdicts: { verdict: EchoVerdict }[], verdict: EchoVerdict) =>
  verdicts.filter((one) => one.verdict === verdict).length / verdicts.length;

describe.each([60, 250, 600, 950])("a loudspeaker heard after %i ms", (delayMs) => {
  const voice = babble(8, 7);
  const echo = { samples: voice, atMs: 1_000 + delayMs, gain: 0.4 };

  test("is the avatar's own voice", () => {
    const heard = judge(voice, [echo]);
    const speech = heard.verdicts.filter(({ speech, endMs }) => speech && endMs > 1_500 + delayMs);
    expect(share(speech, "echo")).toBeGreaterThan(0.97);
    expect(Math.abs(heard.echo.lagMs - delayMs)).toBeLessThanOrEqual(32);
  });

  test("somebody who speaks over it is heard", () => {
    const speaker = { samples: babble(2, 99), atMs: 5_000, gain: 0.9 };
    const { verdicts } = judge(voice, [echo, speaker]);
    const during = verdicts.filter(({ speech, endMs }) => speech && endMs > 5_200 && endMs < 7_000);
    expect(share(during, "echo")).toBeLessThan(0.35);
  });
});

test("without an echo, speech is never taken for one for long", () => {
  const speaker = { samples: babble(4, 99), atMs: 4_000, gain: 0.9 };
  const { verdicts } = judge(babble(8, 7), [speaker]);
  const during = verdicts.filter(({ speech, endMs }) => speech && endMs > 4_000);
  expect(share(during, "echo")).toBeLessThan(0.1);
});

describe("words", () => {
  const spoken = (text: string) => {
    const playback = new Playback();
    playback.say(1, text);
    const words = new EchoWords(playback);
    words.note(1_000);
    return { playback, words };
  };

  test("of the avatar are its own, also when some were misheard", () => {
    const { words } = spoken("The museum was founded two hundred years ago.");
    expect(words.explains("museum was found two hundred years", 1_500)).toBe(true);
    expect(words.explains("what time does it open", 1_500)).toBe(false);
  });

  test("few in common are an answer", () => {
    const { words } = spoken("Would you like the red one or the blue one?");
    expect(words.explains("the blue", 1_500)).toBe(false);
  });

  test("are forgotten a while after they were said", () => {
    const { playback, words } = spoken("The museum was founded two hundred years ago.");
    playback.ended(1);
    words.note(2_000);
    expect(words.explains("founded two hundred years ago", 3_000)).toBe(true);
    expect(words.explains("founded two hundred years ago", 4_000)).toBe(false);
  });

  test("without spaces are compared by character", () => {
    const { words } = spoken("美術館は九時に開きます。");
    expect(words.explains("美術館は九時に開き", 1_500)).toBe(true);
    expect(words.explains("何時に閉まりますか", 1_500)).toBe(false);
  });
});
