// How long a session may last, and how long it may sit unused.

export interface SessionLimitsOptions {
  idleSeconds: number;
  /** 0: no ceiling. */
  maxSeconds: number;
  /** True while the session is in use without anybody doing anything, as when the avatar speaks. */
  busy(): boolean;
  onExpired(reason: "idle" | "max_length", seconds: number): void;
}

export class SessionLimits {
  readonly #options: SessionLimitsOptions;
  readonly #openedAtMs = performance.now();
  #maxSeconds: number;
  #idle: NodeJS.Timeout | undefined;
  #ceiling: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: SessionLimitsOptions) {
    this.#options = options;
    this.#maxSeconds = options.maxSeconds;
    this.touch();
    this.setMaxSeconds(options.maxSeconds);
  }

  get maxSeconds(): number {
    return this.#maxSeconds;
  }

  /** The idle window starts anew. */
  touch(): void {
    clearTimeout(this.#idle);
    if (this.#closed) return;
    const { idleSeconds, busy, onExpired } = this.#options;
    this.#idle = setTimeout(() => {
      if (busy()) this.touch();
      else onExpired("idle", idleSeconds);
    }, idleSeconds * 1000);
  }

  /** Counts from the session's beginning. */
  setMaxSeconds(seconds: number): void {
    clearTimeout(this.#ceiling);
    this.#maxSeconds = seconds;
    if (this.#closed || seconds === 0) return;
    const leftMs = Math.max(0, seconds * 1000 - (performance.now() - this.#openedAtMs));
    this.#ceiling = setTimeout(() => this.#options.onExpired("max_length", seconds), leftMs);
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#idle);
    clearTimeout(this.#ceiling);
  }
}
