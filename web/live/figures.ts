// Figures as people read them.

const none = "–";

/** Milliseconds; from ten seconds on in seconds. */
export function formatMs(ms: number | null): string {
  if (ms === null || !Number.isFinite(ms)) return none;
  if (ms >= 10_000) return `${(ms / 1000).toFixed(1)} s`;
  return ms < 1 ? "< 1 ms" : `${Math.round(ms)} ms`;
}

export function formatFps(fps: number | null): string {
  return fps === null || !Number.isFinite(fps) ? none : `${fps.toFixed(1)} fps`;
}
