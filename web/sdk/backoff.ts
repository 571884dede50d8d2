// Waiting between attempts.

export interface BackoffOptions {
  baseMs: number;
  capMs: number;
  /** Source of jitter, 0..1. */
  random?: () => number;
}

/**
 * Exponential backoff with "equal jitter" (M. Brooker, "Exponential Backoff And Jitter", AWS Architecture Blog, 2015):
 * half of the doubled delay is kept, the other half is drawn at random.
 *
 * @param attempt 0 for the first wait.
 * @returns milliseconds
 */
export function backoffMs(attempt: number, { baseMs, capMs, random = Math.random }: BackoffOptions): number {
  const full = Math.min(capMs, baseMs * 2 ** attempt);
  return full / 2 + (full / 2) * random();
}

/** Resolves after `ms`; rejects with the signal's reason as soon as it aborts. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal?.aborted) {
      reject(signal.reason as Error);
      return;
    }
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal?.reason as Error);
    };
    const timer = setTimeout(() => {
      signal?.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", onAbort, { once: true });
  });
}
