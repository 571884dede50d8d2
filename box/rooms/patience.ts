// Waiting for LiveKit's client (1.1.0), which now and then stops in the middle of a negotiation and says nothing more. A fresh
// room of its own does not know of it.

/** The client does not answer. */
export class SilenceError extends Error {
  override name = "SilenceError";
}

/** Rejects with SilenceError after `ms` milliseconds, and with the signal's reason as soon as it aborts. */
export async function within<T>(
  work: Promise<T>,
  { ms, what, signal }: { ms: number; what: string; signal?: AbortSignal },
): Promise<T> {
  const stopped = Promise.withResolvers<never>();
  const timer = setTimeout(() => stopped.reject(new SilenceError(what)), ms);
  const stop = () => stopped.reject(signal?.reason);
  signal?.addEventListener("abort", stop, { once: true });
  if (signal?.aborted) stop();
  // Whoever loses the race is not heard any more.
  work.catch(() => undefined);
  try {
    return await Promise.race([work, stopped.promise]);
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener("abort", stop);
  }
}

/** Of the kind that a second attempt does not meet again: ours, or the client's own over a track. */
export function isSilence(error: unknown): boolean {
  return (
    error instanceof SilenceError || (error instanceof Error && /publication timed out/.test(error.message))
  );
}
