// Who has the floor: one turn of an account runs at a time, and whoever asks next takes it from all before.

export interface Ticket {
  /** Aborts when the floor is taken away, also from one who still waits for it. */
  readonly signal: AbortSignal;
  /** Resolves when everybody before has closed. */
  readonly ready: Promise<void>;
  release(): void;
}

interface Holder {
  number: number;
  controller: AbortController;
  released: Promise<void>;
}

export class Floor {
  readonly #holders = new Map<string, Set<Holder>>();
  #count = 0;

  /** Number of the last ticket given out. */
  get count(): number {
    return this.#count;
  }

  /** Whether a turn of the account runs or waits. */
  busy(account: string): boolean {
    return this.#holders.has(account);
  }

  /** Queues for the floor; everybody of the account who came before is told to stop. */
  enter(account: string): Ticket {
    const ready = this.clear(account);
    const holders = this.#holders.get(account) ?? new Set();
    this.#holders.set(account, holders);
    const controller = new AbortController();
    const released = Promise.withResolvers<void>();
    const holder: Holder = { number: ++this.#count, controller, released: released.promise };
    holders.add(holder);
    return {
      signal: controller.signal,
      ready,
      release: () => {
        holders.delete(holder);
        if (holders.size === 0 && this.#holders.get(account) === holders) this.#holders.delete(account);
        released.resolve();
      },
    };
  }

  /** Stops the account's turns, those with later numbers than `upTo` excepted, and waits until they have closed. */
  async clear(account: string, upTo = this.#count): Promise<void> {
    const holders = [...(this.#holders.get(account) ?? [])].filter(({ number }) => number <= upTo);
    for (const { controller } of holders) controller.abort();
    await Promise.all(holders.map(({ released }) => released));
  }
}
