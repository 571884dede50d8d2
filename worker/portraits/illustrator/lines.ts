// Lines that years leave in a face: on the forehead, beside the eyes, from nose to mouth.

import type { Face } from "./anatomy.ts";
import { bump, clamp, noise, smoothstep } from "./maths.ts";

const groove = (distance: number, width: number): number => Math.exp(-((distance / width) ** 2));

/** How deep a line runs at a point of the face, 0 to about 1. */
export function lineDepth(face: Face, seed: number, x: number, y: number): number {
  const ax = Math.abs(x);
  const { eye, nose, lips, shape } = face;
  const wander = 1.6 * noise(x / 17, 0.4, seed + 81) + 0.5 * noise(x / 5, 3.1, seed + 82);
  let depth = 0;
  for (const at of [-60, -51, -42]) {
    const reach = 1 - smoothstep(18, 38, ax + 3 * noise(at, x / 20, seed + 83));
    depth = Math.max(depth, 0.55 * reach * groove(y - at - wander - 0.003 * x * x, 0.75));
  }
  const out = ax - eye.outerX - 2;
  for (const slope of [-0.55, -0.05, 0.45]) {
    const along = smoothstep(0, 3, out) * (1 - smoothstep(7, 14, out));
    depth = Math.max(depth, 0.6 * along * groove(y + 1 - slope * out, 0.6));
  }
  // The fold from the wing of the nose to beside the corner of the mouth.
  const down = clamp((y - (nose.baseY - 8)) / (lips.lineY + 6 - (nose.baseY - 8)));
  const foldX = nose.alaX + 4 + (shape.mouthHalfWidth + 5 - nose.alaX) * down ** 1.3;
  const inside = smoothstep(0, 0.12, down) * (1 - smoothstep(0.9, 1, down));
  depth = Math.max(depth, 0.85 * inside * groove(ax - foldX, 1.1));
  const bag = y - eye.lower(ax) - 6.5;
  depth = Math.max(depth, 0.5 * groove(bag, 0.9) * bump(ax - shape.pupilX + 2, 0, 9, 1));
  return depth;
}
