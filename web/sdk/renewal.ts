// Keeps the credential of an open socket fresh. A browser cannot see a 401 on an upgrade, and the box reports a lapse only
// once: so it is renewed ahead of time.

import type { Credentials } from "./credentials.ts";

const retryMs = 20_000;

export interface RenewalOptions {
  credentials: Credentials;
  /** Tells the box; called only between `start` and `stop`. */
  send(token: string): void;
}

export class Renewal {
  readonly #options: RenewalOptions;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** Tells one opening of the socket from the next, across what is awaited. */
  #round = 0;
  #running = false;

  constructor(options: RenewalOptions) {
    this.#options = options;
  }

  /** The socket is open. */
  start(): void {
    this.#running = true;
    this.#round += 1;
    this.#schedule();
  }

  /** The socket is not. */
  stop(): void {
    this.#running = false;
    clearTimeout(this.#timer);
  }

  /** The box asks for a fresh credential. */
  async now(): Promise<void> {
    const { credentials, send } = this.#options;
    const round = this.#round;
    if (!this.#running || !credentials.renewable) return;
    const current = () => this.#running && round === this.#round;
    try {
      const token = await credentials.renew();
      if (!current()) return;
      send(token);
      this.#schedule();
    } catch {
      // The session goes on with a lapsed credential; the next request reports what is wrong with it.
      if (current()) this.#again(retryMs);
    }
  }

  #schedule(): void {
    const ms = this.#options.credentials.renewInMs();
    if (ms === null) clearTimeout(this.#timer);
    else this.#again(Math.max(1000, ms));
  }

  #again(ms: number): void {
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => void this.now(), ms);
  }
}
