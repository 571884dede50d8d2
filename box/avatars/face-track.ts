// A face through the frames of a video: short gaps bridged, trembling taken out.

import { AvatarError } from "./errors.ts";
import { faceGeometry, LANDMARK_COUNT, type FaceGeometry, type Landmarks } from "./face-mesh.ts";

/** A blink of the model, or a hand before the face for a moment. */
export const LONGEST_GAP = 5;
/** Beyond these the far half of the mouth cannot be seen. Degrees. */
const MAX_YAW = 40;
const MAX_PITCH = 35;
const MAX_ROLL = 45;
/** Savitzky and Golay's weights of a parabola through five points: trembling goes, and the height of a movement stays. */
const SMOOTHING = [-3 / 35, 12 / 35, 17 / 35, 12 / 35, -3 / 35];

/**
 * Landmarks for every frame from what was found. Throws AvatarError no_face when the face is gone for longer than a moment,
 * and says when.
 */
export function completeTrack(found: readonly (Landmarks | null)[], fps: number): Landmarks[] {
  const complete: Landmarks[] = [];
  let from = 0;
  while (from < found.length) {
    const here = found[from];
    if (here) {
      complete.push(here);
      from += 1;
      continue;
    }
    let to = from;
    while (to < found.length && !found[to]) to += 1;
    if (to - from > LONGEST_GAP) {
      throw new AvatarError(
        "no_face",
        `The face cannot be seen ${momentOf(from / fps)}. Use footage that shows it all the time.`,
      );
    }
    const before = found[from - 1] ?? found[to];
    const after = found[to] ?? before;
    if (!before || !after) throw new AvatarError("no_face", "No face was found in the video.");
    for (let index = from; index < to; index += 1) {
      const share = (index - from + 1) / (to - from + 1);
      complete.push(before.map((value, at) => value + ((after[at] ?? value) - value) * share));
    }
    from = to;
  }
  return complete;
}

/** One row after another, as the builder takes them. */
export function smoothTrack(track: readonly Landmarks[]): Float32Array {
  const row = LANDMARK_COUNT * 3;
  const smooth = new Float32Array(track.length * row);
  const reach = (SMOOTHING.length - 1) / 2;
  track.forEach((landmarks, frame) => {
    // At the ends there are no neighbours on one side.
    if (frame < reach || frame >= track.length - reach) {
      smooth.set(landmarks, frame * row);
      return;
    }
    for (let at = 0; at < row; at += 1) {
      let sum = 0;
      for (let k = 0; k < SMOOTHING.length; k += 1) {
        sum += (SMOOTHING[k] ?? 0) * (track[frame + k - reach]?.[at] ?? 0);
      }
      smooth[frame * row + at] = sum;
    }
  });
  return smooth;
}

/** Throws AvatarError face_turned_away when the face looks away for longer than a moment, and says when. */
export function checkTurns(track: readonly Landmarks[], fps: number): void {
  let since = 0;
  track.forEach((landmarks, frame) => {
    if (!isTurned(faceGeometry(landmarks))) {
      since = frame + 1;
    } else if (frame - since >= LONGEST_GAP) {
      throw turnedAway(since / fps);
    }
  });
}

export function isTurned({ yaw, pitch, roll }: FaceGeometry): boolean {
  return Math.abs(yaw) > MAX_YAW || Math.abs(pitch) > MAX_PITCH || Math.abs(roll) > MAX_ROLL;
}

export function turnedAway(seconds: number): AvatarError {
  return new AvatarError(
    "face_turned_away",
    `The face is turned too far ${momentOf(seconds)}. Use footage that looks towards the camera.`,
  );
}

/** "after 3.2 seconds", or "at the beginning". */
export function momentOf(seconds: number): string {
  return seconds < 0.05 ? "at the beginning" : `after ${seconds.toFixed(1)} seconds`;
}
