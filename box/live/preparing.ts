// Messages on their way to becoming turns: a stop that comes while model, voice and words are settled stops them too.

interface Asked {
  account: string;
  number: number;
  stopped: boolean;
}

export class Preparing {
  readonly #waiting = new Set<Asked>();
  readonly #stopped = new WeakSet<object>();
  #count = 0;

  /** Number of the last message that was asked for. */
  get count(): number {
    return this.#count;
  }

  /** Runs the preparation of one message. */
  async run<Prepared extends object>(account: string, prepare: () => Promise<Prepared>): Promise<Prepared> {
    const asked: Asked = { account, number: ++this.#count, stopped: false };
    this.#waiting.add(asked);
    try {
      const prepared = await prepare();
      if (asked.stopped) this.#stopped.add(prepared);
      return prepared;
    } finally {
      this.#waiting.delete(asked);
    }
  }

  /** Stops what the account has asked for, later numbers than `upTo` excepted. */
  stop(account: string, upTo = this.#count): void {
    for (const asked of this.#waiting)
      if (asked.account === account && asked.number <= upTo) asked.stopped = true;
  }

  /** Whether somebody said stop while it was prepared. */
  wasStopped(prepared: object): boolean {
    return this.#stopped.has(prepared);
  }
}
