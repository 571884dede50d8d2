// From a video of a face to an avatar that keeps the video's own motion.

import type { AvatarInfo } from "../../native/binding/index.d.ts";
import type { BuildStep, Framing } from "../../contract/avatars.ts";
import type { Media } from "../media/media.ts";
import type { Crop } from "./framing.ts";
import type { FaceFinder } from "./landmarks.ts";
import type { Picture } from "./photo.ts";

/** Footage that passed every check: one face, long enough, in a format we read. */
export interface CheckedFootage {
  /** Takes of one tone, in order. */
  paths: readonly string[];
  /** The frame that stands for it: seen from the front, mouth shut, eyes open. */
  still: Picture;
  /** The square to show, in pixels of `still`. */
  crop: Crop;
  durationSeconds: number;
}

/** Throws AvatarError with a sentence for whoever sent it: `video_*`, and what is wrong with the face as for a photograph. */
export function checkFootage(_request: {
  paths: readonly string[];
  framing: Framing;
  finder: FaceFinder;
  media: Media;
  onStep?(step: BuildStep): void;
  signal?: AbortSignal;
}): Promise<CheckedFootage> {
  return Promise.reject(new Error("Footage cannot be read yet."));
}

/** Writes preview.jpg, rig.vvr and loop.i420 into a new folder. Throws AvatarError face_unusable. */
export function buildFootage(_request: {
  footage: CheckedFootage;
  outDir: string;
  finder: FaceFinder;
  media: Media;
  onStep?(step: BuildStep): void;
  signal?: AbortSignal;
}): Promise<AvatarInfo> {
  return Promise.reject(new Error("Footage cannot be built yet."));
}
