// Waiting for what another process does, in tests and benchmarks alike.

const longestMs = 60_000;

const pause = (ms: number): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms);
  });

/**
 * Looks again and again until something is there.
 * @throws Error naming `what` when it does not come in a minute.
 */
export async function until<T>(
  what: string,
  look: () => T | undefined | false | Promise<T | undefined | false>,
  intervalMs = 10,
): Promise<T> {
  const deadline = performance.now() + longestMs;
  while (performance.now() < deadline) {
    const found = await look();
    if (found !== undefined && found !== false) return found;
    await pause(intervalMs);
  }
  throw new Error(`In a minute there was no ${what}.`);
}
