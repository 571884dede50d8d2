// Which frame of a video may stand for it: seen from the front, mouth shut, eyes open, sharp.

import type { DetectedFace } from "./landmarks.ts";
import { point, type Landmarks } from "./face-mesh.ts";
import type { Picture } from "../media/picture.ts";

/** Points of the mesh: inner lips, and the lids with the corners of each eye. */
const LIPS = { upper: 13, lower: 14, right: 78, left: 308 };
const EYES = [
  { upper: 159, lower: 145, outer: 33, inner: 133 },
  { upper: 386, lower: 374, outer: 263, inner: 362 },
];

export interface Candidate {
  face: DetectedFace;
  /** As `sharpness` measures it; only compared within one video. */
  sharpness: number;
}

/** How far the lips are apart, as a share of the mouth's width. */
export function mouthGap(landmarks: Landmarks): number {
  return distance(landmarks, LIPS.upper, LIPS.lower) / distance(landmarks, LIPS.right, LIPS.left);
}

/** How far the eyes are open, as a share of their width; the lesser of both. */
export function eyeGap(landmarks: Landmarks): number {
  return Math.min(
    ...EYES.map(
      ({ upper, lower, outer, inner }) =>
        distance(landmarks, upper, lower) / distance(landmarks, outer, inner),
    ),
  );
}

/** Index of the best; -1 when there is none. */
export function chooseStill(candidates: readonly (Candidate | null)[]): number {
  const present = candidates.filter((candidate) => candidate !== null);
  const usualSharpness = median(present.map(({ sharpness }) => sharpness));
  const usualEyes = median(present.map(({ face }) => eyeGap(face.landmarks)));
  let best = -1;
  let least = Infinity;
  candidates.forEach((candidate, index) => {
    if (!candidate) return;
    const { landmarks, geometry } = candidate.face;
    const turned = (Math.abs(geometry.yaw) + Math.abs(geometry.pitch) + Math.abs(geometry.roll)) / 15;
    const open = mouthGap(landmarks) * 10;
    const shut = Math.max(0, 1 - eyeGap(landmarks) / Math.max(usualEyes, 1e-6)) * 3;
    const soft = Math.max(0, 1 - candidate.sharpness / Math.max(usualSharpness, 1e-6)) * 2;
    const cost = turned + open + shut + soft;
    if (cost < least) [best, least] = [index, cost];
  });
  return best;
}

/** Mean squared difference of neighbouring pixels' green within the face: motion and lack of focus lower it. */
export function sharpness({ rgb, width, height }: Picture, { geometry }: DetectedFace): number {
  const half = geometry.heightPx / 3;
  const { centre } = geometry;
  const [left, right] = [Math.max(1, Math.floor(centre.x - half)), Math.min(width - 1, centre.x + half)];
  const [top, bottom] = [Math.max(1, Math.floor(centre.y - half)), Math.min(height - 1, centre.y + half)];
  let sum = 0;
  let count = 0;
  for (let y = top; y < bottom; y += 1) {
    for (let x = left; x < right; x += 1) {
      const at = (y * width + x) * 3 + 1;
      const here = rgb[at] ?? 0;
      const across = here - (rgb[at - 3] ?? 0);
      const down = here - (rgb[at - width * 3] ?? 0);
      sum += across * across + down * down;
      count += 1;
    }
  }
  return count === 0 ? 0 : sum / count;
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function distance(landmarks: Landmarks, one: number, other: number): number {
  const [a, b] = [point(landmarks, one), point(landmarks, other)];
  return Math.hypot(a.x - b.x, a.y - b.y);
}
