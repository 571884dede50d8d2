// The library's values as people read them.

import type { BuildReport, BuildStep, Framing } from "../../contract/avatars.ts";
import type { LibraryAvatar } from "../../contract/library.ts";
import type { Tone } from "../../contract/tones.ts";

export const sourceWords: Record<LibraryAvatar["source_kind"], string> = {
  photo: "A photograph",
  image: "A picture",
  video: "A video",
  unknown: "Not known",
};

export const framingWords: Record<Framing, string> = {
  head: "Head",
  bust: "Head and shoulders",
  full: "The whole picture",
};

export const stepWords: Record<BuildStep, string> = {
  decode: "opening the picture",
  landmarks: "finding the face",
  preview: "cutting the still",
  rig: "learning how it moves",
  clips: "making the clips of its tones",
  done: "done",
};

export function toneName(tone: Tone): string {
  return tone.charAt(0).toUpperCase() + tone.slice(1);
}

/** "24 kB", "1.4 MB", as file managers count. */
export function formatBytes(bytes: number): string {
  if (bytes < 1000) return `${bytes} B`;
  const [value, unit] = bytes < 1e6 ? [bytes / 1e3, "kB"] : [bytes / 1e6, "MB"];
  return `${value < 10 ? value.toFixed(1) : Math.round(value)} ${unit}`;
}

/** What the last build did, in a sentence without its time. */
export function buildWords(build: BuildReport): string {
  if (build.state === "ready") return "Finished";
  if (build.state === "failed") return `Failed while ${stepWords[build.step]}`;
  return `Under way: ${stepWords[build.step]}, ${Math.round(build.progress * 100)} %`;
}
