// Who speaks: voices that the viseme net was never trained on, and people.

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../test/harness/process.ts";
import type { Job } from "./truth.ts";

export interface Voice {
  id: string;
  title: string;
  /** The voice of the box's own engine that says the texts live. Without one, the jobs' sounds are played as a file. */
  live?: { voice: string; texts: string[] };
  jobs: Job[];
  /** Why it cannot be measured on this machine. */
  missing?: string;
}

const texts = [
  "Please bring my map back before the boat leaves, Bob.",
  "My mother baked a big apple pie, and Peter ate the biggest piece.",
  "We may never know what the family above the shop was arguing about.",
  "A bright blue umbrella popped open in the middle of the empty market.",
  "Would you move the table, so that both of them can see the moon?",
  "Simple problems become important when nobody remembers who promised to help.",
];

/** What the box asks espeak-ng for. */
export const wordsPerMinute = Number(process.env.ESPEAK_WPM || 165);

const readings = "/usr/share/pocketsphinx/test/data/librivox";

/** PocketSphinx's test data: five sentences of Sense and Sensibility as a LibriVox volunteer reads them. */
function reader(): Voice {
  const voice: Voice = { id: "librivox", title: "a LibriVox reader, recorded", jobs: [] };
  const transcription = join(readings, "transcription");
  if (!existsSync(transcription)) return { ...voice, missing: "Debian's pocketsphinx-testdata is not there" };
  for (const line of readFileSync(transcription, "utf8").split("\n")) {
    const [, text, name] = /^<s>(.*)<\/s>\s*\((.*)\)/.exec(line) ?? [];
    if (text && name)
      voice.jobs.push({ source: "recording", path: join(readings, `${name}.wav`), text: text.trim() });
  }
  return voice;
}

/** Kennedy's inaugural address: a man who speaks slowly in an echoing square. */
function speaker(): Voice {
  const path = join(root, "test/data/jfk.wav");
  const text =
    "and so my fellow americans ask not what your country can do for you ask what you can do for your country";
  return { id: "jfk", title: "Kennedy, recorded", jobs: [{ source: "recording", path, text }] };
}

export const voices: Voice[] = [
  {
    id: "en-us+f3",
    title: "espeak-ng en-us+f3, live",
    live: { voice: "en-us+f3", texts },
    jobs: [],
  },
  {
    id: "awb",
    title: "flite awb, a file",
    jobs: texts.map((text) => ({ source: "flite" as const, voice: "awb", text })),
  },
  reader(),
  speaker(),
];
