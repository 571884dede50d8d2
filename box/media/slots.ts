/** Lets so many pieces of work run at once; the others wait in the order they came. */
export class Slots {
  #free: number;
  #waiting: { start(): void; fail(reason: unknown): void }[] = [];

  constructor(count: number) {
    this.#free = count;
  }

  /** Runs `work` when its turn comes. Rejects with the signal's reason when it is aborted before. */
  async run<T>(work: () => Promise<T>, signal?: AbortSignal): Promise<T> {
    signal?.throwIfAborted();
    await this.#turn(signal);
    try {
      return await work();
    } finally {
      const next = this.#waiting.shift();
      if (next) next.start();
      else this.#free += 1;
    }
  }

  /** Sends away everybody who waits. */
  refuseWaiting(reason: Error): void {
    for (const { fail } of this.#waiting.splice(0)) fail(reason);
  }

  async #turn(signal: AbortSignal | undefined): Promise<void> {
    if (this.#free > 0) {
      this.#free -= 1;
      return;
    }
    await new Promise<void>((resolve, reject) => {
      const onAbort = () => {
        this.#waiting.splice(this.#waiting.indexOf(place), 1);
        reject(signal?.reason);
      };
      const place = {
        start: () => {
          signal?.removeEventListener("abort", onAbort);
          resolve();
        },
        fail: (reason: unknown) => {
          signal?.removeEventListener("abort", onAbort);
          reject(reason);
        },
      };
      signal?.addEventListener("abort", onAbort, { once: true });
      this.#waiting.push(place);
    });
  }
}
