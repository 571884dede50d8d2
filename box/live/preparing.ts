// Words on their way to being a turn or a talk: a stop that comes while they are settled stops them too.

export type AskedKind = "message" | "talk";

interface Asked {
  account: string;
  kind: AskedKind;
  number: number;
  stopped: boolean;
}

export class Preparing {
  readonly #waiting = new Set<Asked>();
  readonly #stopped = new WeakSet<object>();
  #count = 0;

  /** Number of the last one that was asked for. */
  get count(): number {
    return this.#count;
  }

  /** Runs one preparation, which may look at whether somebody said stop since it was asked for. */
  async run<Prepared extends object>(
    { account, kind }: { account: string; kind: AskedKind },
    prepare: (stopped: () => boolean) => Promise<Prepared>,
  ): Promise<Prepared> {
    const asked: Asked = { account, kind, number: ++this.#count, stopped: false };
    this.#waiting.add(asked);
    try {
      const prepared = await prepare(() => asked.stopped);
      if (asked.stopped) this.#stopped.add(prepared);
      return prepared;
    } finally {
      this.#waiting.delete(asked);
    }
  }

  /** Stops what the account has asked for, of one kind if it is named, later numbers than `upTo` excepted. */
  stop(account: string, { upTo = this.#count, kind }: { upTo?: number; kind?: AskedKind } = {}): void {
    for (const asked of this.#waiting) {
      if (asked.account !== account || asked.number > upTo) continue;
      if (kind === undefined || asked.kind === kind) asked.stopped = true;
    }
  }

  /** Whether somebody said stop while it was prepared. */
  wasStopped(prepared: object): boolean {
    return this.#stopped.has(prepared);
  }
}
