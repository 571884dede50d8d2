// The credential a socket stands on: when it ages out, and what replaces it.

import type { Access } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import { Refusal } from "../failure.ts";
import { longestTimerMs } from "../live/limits.ts";
import { describeError, type Log } from "../ops/log.ts";

export interface CredentialWatchOptions {
  caller: Caller;
  access: Pick<Access, "identify" | "revoked">;
  log: Log;
  /** Once for every credential that ages out. */
  onLapsed(): void;
}

export class CredentialWatch {
  readonly #options: CredentialWatchOptions;
  #caller: Caller;
  #timer: NodeJS.Timeout | undefined;
  #closed = false;
  /** Credentials are taken in the order in which they came, whichever is looked up first. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: CredentialWatchOptions) {
    this.#options = options;
    this.#caller = options.caller;
    this.#watch();
  }

  /** Who stands behind the socket: always of the same account. */
  get caller(): Caller {
    return this.#caller;
  }

  /** Takes a fresh credential of the same account. False when it is none, and then nothing changes. */
  renew(token: string): Promise<boolean> {
    const identified = this.#identify(token);
    const renewed = this.#last.then(async () => this.#take(await identified));
    this.#last = renewed;
    return renewed;
  }

  async #identify(token: string): Promise<Caller | null> {
    const { access, log } = this.#options;
    try {
      return await access.identify(token);
    } catch (error) {
      if (!(error instanceof Refusal)) log.error(describeError(error), "a credential could not be checked");
      return null;
    }
  }

  #take(fresh: Caller | null): boolean {
    // The identity behind a socket is frozen: a good credential of somebody else changes nothing.
    if (this.#closed || !fresh || fresh.account !== this.#caller.account) return false;
    // Revoked while it was looked up, when no socket stood on it yet.
    if (this.#options.access.revoked(fresh.digest)) return false;
    this.#caller = fresh;
    this.#watch();
    return true;
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#timer);
  }

  #watch(): void {
    clearTimeout(this.#timer);
    const { expires_at } = this.#caller;
    if (expires_at === null) return;
    const leftMs = expires_at * 1000 - Date.now();
    this.#timer = setTimeout(
      () => (leftMs > longestTimerMs ? this.#watch() : this.#options.onLapsed()),
      Math.min(longestTimerMs, Math.max(0, leftMs)),
    );
  }
}
