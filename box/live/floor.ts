// Who has the floor: at most one turn per account runs at a time, and the next one takes it from the last.

export interface Holding {
  /** Aborts when the floor is taken away. */
  signal: AbortSignal;
  release(): void;
}

interface Holder {
  controller: AbortController;
  released: Promise<void>;
}

export class Floor {
  readonly #holders = new Map<string, Holder>();

  /** Stops the account's turn and waits until it has closed. */
  async clear(account: string): Promise<void> {
    const holder = this.#holders.get(account);
    if (!holder) return;
    holder.controller.abort();
    await holder.released;
  }

  /** Takes the floor for a new turn, once the one before has closed. */
  async take(account: string): Promise<Holding> {
    while (this.#holders.has(account)) await this.clear(account);
    const controller = new AbortController();
    const released = Promise.withResolvers<void>();
    const holder: Holder = { controller, released: released.promise };
    this.#holders.set(account, holder);
    return {
      signal: controller.signal,
      release: () => {
        if (this.#holders.get(account) === holder) this.#holders.delete(account);
        released.resolve();
      },
    };
  }
}
