// A straight line through samples, and how sure its slope is.

export interface Line {
  slope: number;
  /** Standard error of the slope; 0 for fewer than three points. */
  error: number;
}

/** Least squares. */
export function fitLine(points: readonly { x: number; y: number }[]): Line {
  const n = points.length;
  if (n < 2) return { slope: 0, error: 0 };
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / n;
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / n;
  const spread = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  if (spread === 0) return { slope: 0, error: 0 };
  const slope = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spread;
  if (n < 3) return { slope, error: 0 };
  const rest = points.reduce((sum, { x, y }) => sum + (y - meanY - slope * (x - meanX)) ** 2, 0);
  return { slope, error: Math.sqrt(rest / (n - 2) / spread) };
}
