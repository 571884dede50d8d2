// How long a session may last, and how long it may sit unused.

/** Longest delay of a Node.js timer; a longer one would fire at once. */
export const longestTimerMs = 2 ** 31 - 1;

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
  #startedAtMs: number | null = null;
  #maxSeconds: number;
  #idle: NodeJS.Timeout | undefined;
  #ceiling: NodeJS.Timeout | undefined;
  #closed = false;

  constructor(options: SessionLimitsOptions) {
    this.#options = options;
    this.#maxSeconds = options.maxSeconds;
  }

  /** The session begins: nothing runs out before. */
  start(): void {
    this.#startedAtMs = performance.now();
    this.touch();
    this.#watchLength();
  }

  get maxSeconds(): number {
    return this.#maxSeconds;
  }

  /** The idle window starts anew. */
  touch(): void {
    clearTimeout(this.#idle);
    if (this.#closed || this.#startedAtMs === null) return;
    const { idleSeconds, busy, onExpired } = this.#options;
    this.#idle = setTimeout(() => {
      if (busy()) this.touch();
      else onExpired("idle", idleSeconds);
    }, idleSeconds * 1000);
  }

  /** Counts from the session's beginning. */
  setMaxSeconds(seconds: number): void {
    this.#maxSeconds = seconds;
    this.#watchLength();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#idle);
    clearTimeout(this.#ceiling);
  }

  #watchLength(): void {
    clearTimeout(this.#ceiling);
    const seconds = this.#maxSeconds;
    if (this.#closed || this.#startedAtMs === null || seconds === 0) return;
    const leftMs = seconds * 1000 - (performance.now() - this.#startedAtMs);
    this.#ceiling = setTimeout(
      () => {
        if (leftMs > longestTimerMs) this.#watchLength();
        else this.#options.onExpired("max_length", seconds);
      },
      Math.min(longestTimerMs, Math.max(0, leftMs)),
    );
  }
}
