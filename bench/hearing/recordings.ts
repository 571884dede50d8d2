// Recordings of real speech: what is taken for speech in them, and what listening costs.

import { readFile } from "node:fs/promises";
import { basename } from "node:path";
import type { VoiceActivity } from "../../box/hearing/voice-activity.ts";
import { Playback } from "../../box/live/playback.ts";
import { report, type Row } from "../report.ts";
import { drive } from "./drive.ts";
import { Oracle } from "./oracle.ts";
import { mix, readWav, resampled, synthesize, type SpokenWord } from "./speech.ts";

/** A recogniser of which nothing is known but that it hears a word every 300 ms. */
const wordsThrough = (ms: number): SpokenWord[] =>
  Array.from({ length: Math.floor(ms / 300) }, (_, index) => ({ text: "word", endMs: 500 + index * 300 }));

export async function measureRecordings(activity: VoiceActivity, paths: readonly string[]): Promise<Row[]> {
  const rows: Row[] = [];
  for (const path of paths) {
    const speech = resampled(readWav(await readFile(path)));
    const lengthMs = speech.length / 16 + 3_000;
    const clean = mix([{ samples: speech, atMs: 500, levelDb: -20 }], { lengthMs, noiseDb: -60, seed: 1 });
    const heard = await drive({
      samples: clean,
      oracle: new Oracle(wordsThrough(speech.length / 16), " "),
      scorer: activity.scorer(),
      language: "en",
    });
    const count = (kind: string) => heard.filter(({ event }) => event.case === kind).length;
    const name = basename(path);
    rows.push(
      report({ name: `${name}: times speech began`, value: count("speech_started"), unit: "" }),
      report({ name: `${name}: pauses after which speech went on`, value: count("unlikely"), unit: "" }),
      report({ name: `${name}: turns`, value: count("turn"), unit: "" }),
    );
  }
  return rows;
}

/** The share of a core that one listener takes beside its recogniser, while the avatar speaks and is heard. */
export async function measureCost(activity: VoiceActivity): Promise<Row[]> {
  const rows: Row[] = [];
  const voice = await synthesize(
    Array.from({ length: 12 }, () => "This sentence is only here to be spoken.").join(" "),
    "en-us",
  );
  const lengthMs = voice.length / 16 + 1_000;
  for (const echo of [false, true]) {
    const samples = mix([{ samples: voice, atMs: 700, levelDb: -26 }], { lengthMs, noiseDb: -60, seed: 3 });
    const playback = new Playback();
    let started = !echo;
    const before = (nowMs: number) => {
      if (started || nowMs < 500) return;
      started = true;
      playback.made(1, 0, {
        samples: Int16Array.from(voice, (sample) => sample * 20_000),
        sampleRate: 16_000,
      });
      playback.started(1, 500);
    };
    const once = () =>
      drive({
        samples,
        oracle: new Oracle([], " "),
        scorer: activity.scorer(),
        language: "en",
        playback,
        before,
      });
    await once();
    if (echo) {
      playback.ended(1);
      started = false;
    }
    const cpu = process.cpuUsage();
    await once();
    const { user, system } = process.cpuUsage(cpu);
    rows.push(
      report({
        name: echo
          ? "a listener, while the avatar speaks and comes back"
          : "a listener, while somebody speaks",
        value: (100 * (user + system)) / 1000 / lengthMs,
        unit: "% of a core",
        floor: { atMost: 3 },
      }),
    );
  }
  return rows;
}
