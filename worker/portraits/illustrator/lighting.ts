import { clamp, hash, normalise, smoothstep } from "./maths.ts";
import type { Vec3 } from "./maths.ts";
import { NOTHING } from "./relief.ts";
import type { Relief } from "./relief.ts";
import type { Rgb } from "./canvas.ts";

/** A lamp: direction towards it (x right, y down, z to the viewer), colour times strength, and how far it wraps. */
export interface Lamp {
  towards: Vec3;
  colour: Rgb;
  wrap: number;
}

/** A studio: a large warm key from the upper left, a cool fill from the right, and a rim light from behind. */
export const studio = {
  key: { towards: normalise([-0.5, -0.5, 0.76]), colour: [1.56, 1.48, 1.38], wrap: 0.22 } satisfies Lamp,
  fill: { towards: normalise([0.75, -0.05, 0.66]), colour: [0.5, 0.52, 0.58], wrap: 0.5 } satisfies Lamp,
  rim: { towards: normalise([0.92, -0.28, -0.12]), colour: [0.75, 0.8, 0.95], wrap: 0 } satisfies Lamp,
  sky: [0.36, 0.37, 0.4] as Rgb,
  floor: [0.24, 0.19, 0.16] as Rgb,
};

/** The first pixel of a block of `step` x `step` that shows anything, or -1. */
function firstShown({ view, material }: Relief, x0: number, y0: number, step: number): number {
  for (let y = y0; y < Math.min(view.size, y0 + step); y++) {
    for (let x = x0; x < Math.min(view.size, x0 + step); x++) {
      if (material[y * view.size + x] !== NOTHING) return y * view.size + x;
    }
  }
  return -1;
}

/** Measures one pixel of each block of `step` x `step`, and gives all of the block its value; 1 where nothing is shown. */
function measureBlocks(relief: Relief, step: number, measure: (i: number) => number): Float32Array {
  const { size } = relief.view;
  const values = new Float32Array(size * size).fill(1);
  for (let y0 = 0; y0 < size; y0 += step) {
    for (let x0 = 0; x0 < size; x0 += step) {
      const i = firstShown(relief, x0, y0, step);
      if (i < 0) continue;
      const value = measure(i);
      for (let y = y0; y < Math.min(size, y0 + step); y++) {
        for (let x = x0; x < Math.min(size, x0 + step); x++) {
          if (relief.material[y * size + x] !== NOTHING) values[y * size + x] = value;
        }
      }
    }
  }
  return values;
}

/** Openness of the pixels to the viewer's hemisphere, 0 to 1, from the horizons of ten directions. */
export function computeOpenness(relief: Relief, step = 1): Float32Array {
  const { view, z } = relief;
  const { size, scale } = view;
  const directions = 10;
  const reaches = [0.9, 1.8, 3.6, 7, 13, 24, 42];
  return measureBlocks(relief, step, (i) => {
    const x = i % size;
    const y = (i - x) / size;
    const turn = hash(x, y, 5) * ((2 * Math.PI) / directions);
    const stretch = 0.8 + 0.4 * hash(x, y, 6);
    let sum = 0;
    for (let d = 0; d < directions; d++) {
      const angle = (2 * Math.PI * d) / directions + turn;
      const cx = Math.cos(angle);
      const cy = Math.sin(angle);
      let horizon = 0;
      for (const reach of reaches) {
        const mm = reach * stretch;
        const sx = Math.round(x + cx * mm * scale);
        const sy = Math.round(y + cy * mm * scale);
        if (sx < 0 || sy < 0 || sx >= size || sy >= size) break;
        const slope = (z[sy * size + sx]! - z[i]!) / mm;
        if (slope > horizon) horizon = slope;
      }
      sum += 1 - horizon / Math.sqrt(1 + horizon * horizon);
    }
    return sum / directions;
  });
}

/** Light that reaches the pixels from a lamp past the relief, 0 to 1, with a penumbra that grows with distance. */
export function computeShadow(relief: Relief, lamp: Lamp, step = 1): Float32Array {
  const { view, z } = relief;
  const { size, scale } = view;
  const [lx, ly, lz] = lamp.towards;
  const flat = Math.hypot(lx, ly);
  const rise = lz / flat;
  const steps = 34;
  return measureBlocks(relief, step, (i) => {
    const x = i % size;
    const y = (i - x) / size;
    let lit = 1;
    const jitter = 0.6 + 0.8 * hash(x, y, 7);
    for (let s = 1; s <= steps && lit > 0; s++) {
      const mm = 0.055 * (s + jitter - 1) ** 2 + 0.5;
      const sx = Math.round(x + (lx / flat) * mm * scale);
      const sy = Math.round(y + (ly / flat) * mm * scale);
      if (sx < 0 || sy < 0 || sx >= size || sy >= size) break;
      const above = z[sy * size + sx]! - (z[i]! + 0.4 + mm * rise);
      const penumbra = 0.6 + 0.46 * mm;
      lit = Math.min(lit, 1 - smoothstep(-penumbra, penumbra, above));
    }
    return lit;
  });
}

export function diffuse(n: Vec3, lamp: Lamp): number {
  const cosine = n[0] * lamp.towards[0] + n[1] * lamp.towards[1] + n[2] * lamp.towards[2];
  return clamp((cosine + lamp.wrap) / (1 + lamp.wrap));
}

/** Blinn-Phong lobe towards a viewer on the z axis. */
export function specular(n: Vec3, lamp: Lamp, exponent: number): number {
  const h = normalise([lamp.towards[0], lamp.towards[1], lamp.towards[2] + 1]);
  const cosine = n[0] * h[0] + n[1] * h[1] + n[2] * h[2];
  return cosine <= 0 ? 0 : cosine ** exponent * ((exponent + 8) / 60);
}
