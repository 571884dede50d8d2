/** Small deterministic maths: seeded random numbers, value noise, bumps and smooth curves. */

export type Vec3 = readonly [number, number, number];

export const clamp = (x: number, low = 0, high = 1): number => (x < low ? low : x > high ? high : x);
export const mix = (a: number, b: number, t: number): number => a + (b - a) * t;

export function smoothstep(edge0: number, edge1: number, x: number): number {
  const t = clamp((x - edge0) / (edge1 - edge0));
  return t * t * (3 - 2 * t);
}

const BUMP_FLOOR = Math.exp(-6);

/** Gaussian of a normalised offset: 1 at the centre, lowered to reach 0 without a step at 3.5 sigma. */
export function bump(dx: number, dy: number, sx: number, sy: number): number {
  const q = (dx * dx) / (sx * sx) + (dy * dy) / (sy * sy);
  return q > 12 ? 0 : (Math.exp(-q / 2) - BUMP_FLOOR) / (1 - BUMP_FLOOR);
}

/** Polynomial smooth maximum: equals max(a, b) where they differ by more than k. */
export function smoothMax(a: number, b: number, k: number): number {
  const h = Math.max(0, k - Math.abs(a - b)) / k;
  return Math.max(a, b) + h * h * k * 0.25;
}

export function normalise(v: Vec3): Vec3 {
  const length = Math.hypot(v[0], v[1], v[2]) || 1;
  return [v[0] / length, v[1] / length, v[2] / length];
}

/** Mulberry32: a seeded generator of uniform numbers in [0, 1). */
export function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), state | 1);
    t = (t + Math.imul(t ^ (t >>> 7), t | 61)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

/** Uniform hash of a lattice point, in [0, 1). */
export function hash(x: number, y: number, seed: number): number {
  let h = Math.imul(x | 0, 374761393) + Math.imul(y | 0, 668265263) + Math.imul(seed | 0, 2147483647);
  h = Math.imul(h ^ (h >>> 13), 1274126177);
  h = Math.imul(h ^ (h >>> 16), 2246822519);
  return ((h ^ (h >>> 15)) >>> 0) / 4294967296;
}

/** Value noise in [-1, 1], one feature a unit. */
export function noise(x: number, y: number, seed: number): number {
  const ix = Math.floor(x);
  const iy = Math.floor(y);
  const fx = x - ix;
  const fy = y - iy;
  const u = fx * fx * (3 - 2 * fx);
  const v = fy * fy * (3 - 2 * fy);
  const top = mix(hash(ix, iy, seed), hash(ix + 1, iy, seed), u);
  const bottom = mix(hash(ix, iy + 1, seed), hash(ix + 1, iy + 1, seed), u);
  return 2 * mix(top, bottom, v) - 1;
}

/** Three octaves of value noise, about [-1, 1]. */
export function fractalNoise(x: number, y: number, seed: number): number {
  return (
    (noise(x, y, seed) +
      0.5 * noise(2.03 * x, 2.03 * y, seed + 1) +
      0.25 * noise(4.1 * x, 4.1 * y, seed + 2)) /
    1.75
  );
}

/** Monotone cubic interpolation (Fritsch and Carlson 1980) of [x, y] keys in ascending x; constant beyond its ends. */
export function createCurve(keys: readonly (readonly [number, number])[]): (x: number) => number {
  const n = keys.length;
  const slope = Array.from(
    { length: n - 1 },
    (_, i) => (keys[i + 1]![1] - keys[i]![1]) / (keys[i + 1]![0] - keys[i]![0]),
  );
  const tangent = keys.map((_, i) => {
    if (i === 0) return slope[0]!;
    if (i === n - 1) return slope[n - 2]!;
    const a = slope[i - 1]!;
    const b = slope[i]!;
    return a * b <= 0 ? 0 : (2 * a * b) / (a + b);
  });
  return (x) => {
    if (x <= keys[0]![0]) return keys[0]![1];
    if (x >= keys[n - 1]![0]) return keys[n - 1]![1];
    let i = 0;
    while (x > keys[i + 1]![0]) i++;
    const h = keys[i + 1]![0] - keys[i]![0];
    const t = (x - keys[i]![0]) / h;
    const t2 = t * t;
    const t3 = t2 * t;
    return (
      (2 * t3 - 3 * t2 + 1) * keys[i]![1] +
      (t3 - 2 * t2 + t) * h * tangent[i]! +
      (3 * t2 - 2 * t3) * keys[i + 1]![1] +
      (t3 - t2) * h * tangent[i + 1]!
    );
  };
}

/** Uniform Catmull-Rom point on a list of control points, t in [0, 1] from first to last. */
export function pointOn(points: readonly Vec3[], t: number): Vec3 {
  const last = points.length - 1;
  const s = clamp(t) * last;
  const i = Math.min(last - 1, Math.floor(s));
  const f = s - i;
  const at = (k: number): Vec3 => points[Math.min(last, Math.max(0, k))]!;
  const [p0, p1, p2, p3] = [at(i - 1), at(i), at(i + 1), at(i + 2)];
  const axis = (c: 0 | 1 | 2): number =>
    0.5 *
    (2 * p1[c] +
      (p2[c] - p0[c]) * f +
      (2 * p0[c] - 5 * p1[c] + 4 * p2[c] - p3[c]) * f * f +
      (3 * p1[c] - p0[c] - 3 * p2[c] + p3[c]) * f * f * f);
  return [axis(0), axis(1), axis(2)];
}
