// How often one caller may have something spoken within a while.

import { Refusal } from "../failure.ts";

const callers = 1_000;

export interface CallerLimitOptions {
  most: number;
  windowMs: number;
  /** What a caller who asks too often is told. */
  sentence: string;
}

export class CallerLimit {
  readonly #options: CallerLimitOptions;
  /** When each caller asked, within the window. */
  readonly #asked = new Map<string, number[]>();

  constructor(options: CallerLimitOptions) {
    this.#options = options;
  }

  /** Throws Refusal `preview_rate_limited`. */
  count(account: string): void {
    const { most, windowMs, sentence } = this.#options;
    const now = performance.now();
    const recent = (this.#asked.get(account) ?? []).filter((atMs) => atMs > now - windowMs);
    const [oldest] = recent;
    if (recent.length >= most && oldest !== undefined)
      throw new Refusal("preview_rate_limited", sentence, {
        headers: { "Retry-After": String(Math.max(1, Math.ceil((oldest + windowMs - now) / 1000))) },
      });
    this.#asked.delete(account);
    this.#asked.set(account, [...recent, now]);
    if (this.#asked.size > callers) this.#asked.delete(this.#asked.keys().next().value ?? "");
  }
}
