// How well a lip track follows the truth. Pure functions over sampled curves.

/** Pearson correlation of two equally long series; 0 when either is constant. */
export function correlation(a: readonly number[], b: readonly number[]): number {
  const mean = (xs: readonly number[]) => xs.reduce((sum, x) => sum + x, 0) / xs.length;
  const ma = mean(a);
  const mb = mean(b);
  let ab = 0;
  let aa = 0;
  let bb = 0;
  for (let i = 0; i < a.length; i += 1) {
    const da = (a[i] ?? 0) - ma;
    const db = (b[i] ?? 0) - mb;
    ab += da * db;
    aa += da * da;
    bb += db * db;
  }
  return aa === 0 || bb === 0 ? 0 : ab / Math.sqrt(aa * bb);
}

/** Value below which the given share (0..1) of the series lies. */
export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((x, y) => x - y);
  return (
    sorted[Math.min(sorted.length - 1, Math.max(0, Math.round(share * (sorted.length - 1))))] ?? Number.NaN
  );
}

/** A curve of (seconds, value) points, times ascending. */
export interface Track {
  times: number[];
  values: number[];
}

/** Linear interpolation; the ends hold. */
export function valueAt({ times, values }: Track, time: number): number {
  let low = 0;
  let high = times.length - 1;
  if (high < 0) return Number.NaN;
  if (time <= (times[0] ?? 0)) return values[0] ?? 0;
  if (time >= (times[high] ?? 0)) return values[high] ?? 0;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((times[middle] ?? 0) <= time) low = middle;
    else high = middle;
  }
  const t0 = times[low] ?? 0;
  const t1 = times[high] ?? 0;
  const v0 = values[low] ?? 0;
  const v1 = values[high] ?? 0;
  return v0 + ((v1 - v0) * (time - t0)) / (t1 - t0);
}

/**
 * The shift of the lips against the truth at which they correlate best, in seconds (positive: lips late), and the
 * correlations there and unshifted. Searched over ±200 ms in steps of 5 ms.
 */
export function bestOffset(
  lips: Track,
  truth: Track,
): { offsetSeconds: number; best: number; unshifted: number } {
  const at = (shift: number) =>
    correlation(
      truth.times.map((time) => valueAt(lips, time + shift)),
      truth.values,
    );
  let offsetSeconds = 0;
  let best = Number.NEGATIVE_INFINITY;
  for (let step = -40; step <= 40; step += 1) {
    const r = at(step * 0.005);
    if (r > best) {
      best = r;
      offsetSeconds = step * 0.005;
    }
  }
  return { offsetSeconds, best, unshifted: at(0) };
}

/** Smallest value of a track within a window; interpolated edges included. */
export function minimumWithin(track: Track, from: number, to: number): number {
  let least = Math.min(valueAt(track, from), valueAt(track, to));
  track.times.forEach((time, i) => {
    if (time >= from && time <= to) least = Math.min(least, track.values[i] ?? least);
  });
  return least;
}

/** Stretches of `from` … `to`, read every `step` seconds, in which a track is at most `level`. */
export function runsBelow(
  track: Track,
  level: number,
  { from, to, step }: { from: number; to: number; step: number },
): { from: number; to: number }[] {
  const runs: { from: number; to: number }[] = [];
  let open: { from: number; to: number } | null = null;
  for (let i = 0; from + i * step < to; i += 1) {
    const time = from + i * step;
    if (valueAt(track, time) > level) {
      open = null;
    } else if (open) {
      open.to = time;
    } else {
      open = { from: time, to: time };
      runs.push(open);
    }
  }
  return runs;
}

/**
 * Where a short signal lies in a long one: the lag in samples with the highest normalised cross-correlation among
 * `from` … `to`, found on every `stride`th lag and refined, and that correlation (1 is an exact copy).
 */
export function locate(
  needle: Float32Array,
  haystack: Float32Array,
  { from, to, stride = 8 }: { from: number; to: number; stride?: number },
): { lag: number; score: number } {
  let needleEnergy = 0;
  for (const x of needle) needleEnergy += x * x;
  const score = (lag: number): number => {
    let dot = 0;
    let energy = 0;
    for (let i = 0; i < needle.length; i += 1) {
      const h = haystack[lag + i] ?? 0;
      dot += h * (needle[i] ?? 0);
      energy += h * h;
    }
    return energy === 0 || needleEnergy === 0 ? 0 : dot / Math.sqrt(energy * needleEnergy);
  };
  const last = Math.min(to, haystack.length - needle.length);
  let lag = Math.max(0, from);
  let best = Number.NEGATIVE_INFINITY;
  const consider = (candidate: number) => {
    const value = score(candidate);
    if (value > best) {
      best = value;
      lag = candidate;
    }
  };
  for (let candidate = Math.max(0, from); candidate <= last; candidate += stride) consider(candidate);
  const middle = lag;
  for (let candidate = middle - stride; candidate <= middle + stride; candidate += 1) {
    if (candidate >= 0 && candidate <= last) consider(candidate);
  }
  return { lag, score: best };
}
