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
  /** The package without which it cannot be measured on this machine. */
  missing?: string;
}

/** The first of these packages that is not there, by a file that it brings. */
function missingOf(packages: Record<string, string>): { missing?: string } {
  const name = Object.keys(packages).find((each) => !existsSync(packages[each] ?? ""));
  return name === undefined ? {} : { missing: `Debian's ${name} is not there` };
}

const texts = [
  "Please bring my map back before the boat leaves, Bob.",
  "My mother baked a big apple pie, and Peter ate the biggest piece.",
  "We may never know what the family above the shop was arguing about.",
  "A bright blue umbrella popped open in the middle of the empty market.",
  "Would you move the table, so that both of them can see the moon?",
  "Simple problems become important when nobody remembers who promised to help.",
];

const readings = "/usr/share/pocketsphinx/test/data/librivox";
/** Aligns recordings with their words. */
const aligner = { "pocketsphinx-en-us": "/usr/share/pocketsphinx/model/en-us" };

/** PocketSphinx's test data: five sentences of Sense and Sensibility as a LibriVox volunteer reads them. */
function reader(): Voice {
  const voice: Voice = {
    id: "librivox",
    title: "a LibriVox reader, recorded; phones as PocketSphinx aligns them",
    jobs: [],
    ...missingOf({ "pocketsphinx-testdata": readings, ...aligner }),
  };
  if (voice.missing) return voice;
  for (const line of readFileSync(join(readings, "transcription"), "utf8").split("\n")) {
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
  return {
    id: "jfk",
    title: "Kennedy, recorded; phones as PocketSphinx aligns them",
    jobs: [{ source: "recording", path, text }],
    ...missingOf(aligner),
  };
}

export const voices: Voice[] = [
  {
    id: "en-us+f3",
    title: "espeak-ng en-us+f3, live; phones from espeak-ng's events",
    live: { voice: "en-us+f3", texts },
    jobs: [],
  },
  {
    id: "awb",
    title: "flite awb, a file; phones at flite's own times",
    jobs: texts.map((text) => ({ source: "flite" as const, voice: "awb", text })),
    ...missingOf({ flite: "/usr/bin/flite" }),
  },
  reader(),
  speaker(),
];
