// The records in memory, and their way to disk in the order in which they changed.

import { epochSeconds, type AvatarRecord } from "./record.ts";
import type { AvatarStore } from "./store.ts";

export class Shelf {
  readonly store: AvatarStore;
  readonly #records = new Map<string, AvatarRecord>();
  readonly #unreadable = new Set<string>();
  /** The last write of each avatar: one follows the other, and removal follows them all. */
  readonly #writes = new Map<string, Promise<unknown>>();

  constructor(store: AvatarStore) {
    this.store = store;
  }

  get(id: string): AvatarRecord | undefined {
    return this.#records.get(id);
  }

  has(id: string): boolean {
    return this.#records.has(id);
  }

  all(): AvatarRecord[] {
    return [...this.#records.values()];
  }

  async load(onUnreadable: (id: string, error: unknown) => void): Promise<void> {
    const records = await this.store.load((id, error) => {
      this.#unreadable.add(id);
      onUnreadable(id, error);
    });
    for (const record of records) this.#records.set(record.id, record);
  }

  /** Whether there is a folder of this name whose record could not be read. */
  isUnreadable(id: string): boolean {
    return this.#unreadable.has(id);
  }

  /** A record that is there once it is on disk, and not before. */
  put(record: AvatarRecord): Promise<void> {
    return this.#write(record.id, async () => {
      await this.store.save(record);
      this.#records.set(record.id, record);
    });
  }

  /**
   * Changes a record in memory at once and then on disk: were that full, this process would still say what became of it.
   * Undefined, and nothing changed, for one that is gone or that `change` leaves alone.
   */
  async change(
    id: string,
    change: (record: AvatarRecord) => AvatarRecord | undefined,
  ): Promise<AvatarRecord | undefined> {
    const before = this.#records.get(id);
    const after = before && change(before);
    if (!after) return undefined;
    this.#records.set(id, after);
    await this.#write(id, async () => {
      const newest = this.#records.get(id);
      if (newest) await this.store.save(newest);
    });
    return after;
  }

  /** Changes that leave a record as it was said to be at another time. */
  touch(id: string, change: Partial<AvatarRecord>): Promise<AvatarRecord | undefined> {
    return this.change(id, (record) => ({ ...record, ...change, updated_at: epochSeconds() }));
  }

  /** Out of memory; its files are removed by `remove`. */
  forget(id: string): void {
    this.#records.delete(id);
  }

  /** Out of memory, and off the disk for any start that follows; its files are removed by `remove`. */
  async withdraw(id: string): Promise<void> {
    this.forget(id);
    await this.#write(id, async () => {
      if (!this.#records.has(id)) await this.store.removeRecord(id);
    });
  }

  async remove(id: string): Promise<void> {
    this.forget(id);
    await this.#write(id, async () => {
      if (!this.#records.has(id)) await this.store.remove(id);
    });
  }

  async #write(id: string, write: () => Promise<void>): Promise<void> {
    const written = (this.#writes.get(id) ?? Promise.resolve()).then(write, write);
    this.#writes.set(id, written);
    try {
      await written;
    } finally {
      if (this.#writes.get(id) === written) this.#writes.delete(id);
    }
  }
}
