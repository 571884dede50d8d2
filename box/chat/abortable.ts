/** The values of `source` until the signal aborts; then it ends at once, however long the source takes to notice. */
export async function* abortable<Value>(
  source: AsyncIterable<Value>,
  signal: AbortSignal,
): AsyncGenerator<Value, void, undefined> {
  if (signal.aborted) return;
  const iterator = source[Symbol.asyncIterator]();
  const aborted = Promise.withResolvers<null>();
  const stop = () => aborted.resolve(null);
  signal.addEventListener("abort", stop, { once: true });
  try {
    for (;;) {
      const next = iterator.next();
      // The loser of the race may still fail, with nobody left to care.
      next.catch(() => undefined);
      const step = await Promise.race([next, aborted.promise]);
      if (step === null || step.done || signal.aborted) return;
      yield step.value;
    }
  } finally {
    signal.removeEventListener("abort", stop);
    iterator.return?.()?.then(undefined, () => undefined);
  }
}
