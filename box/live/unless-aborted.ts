/** What `work` comes to, or null at once when the signal aborts; the work then goes on for nobody. */
export async function unlessAborted<Value>(work: Promise<Value>, signal: AbortSignal): Promise<Value | null> {
  if (signal.aborted) {
    work.catch(() => undefined);
    return null;
  }
  const aborted = Promise.withResolvers<null>();
  const stop = () => aborted.resolve(null);
  signal.addEventListener("abort", stop, { once: true });
  try {
    return await Promise.race([work, aborted.promise]);
  } finally {
    signal.removeEventListener("abort", stop);
  }
}
