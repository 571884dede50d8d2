// Reports to the portal, in order, until each has arrived.

export interface Report {
  path: string;
  body: unknown;
  /** The portal took it, and answered this. */
  onAnswer?(body: unknown): void;
}

export interface ReportQueueOptions<Item> {
  /** Rejects when the report has to be sent again. */
  deliver(report: Item): Promise<void>;
  onFailure(error: unknown): void;
  /** The first wait after a failure; it doubles up to a minute. */
  retryMs?: number;
}

const longestWaitMs = 60_000;
/** Oldest reports are given up first. */
const capacity = 1_000;

export class ReportQueue<Item = Report> {
  readonly #options: ReportQueueOptions<Item>;
  readonly #queue: Item[] = [];
  readonly #retryMs: number;
  #waitMs: number;
  #timer: NodeJS.Timeout | undefined;
  #sending: Promise<void> | null = null;
  #closed = false;

  constructor(options: ReportQueueOptions<Item>) {
    this.#options = options;
    this.#retryMs = options.retryMs ?? 1_000;
    this.#waitMs = this.#retryMs;
  }

  get length(): number {
    return this.#queue.length;
  }

  add(report: Item): void {
    this.#queue.push(report);
    if (this.#queue.length > capacity) this.#queue.shift();
    if (this.#timer === undefined) this.#send();
  }

  /** Tries once more, then drops what is left. */
  async close(): Promise<void> {
    clearTimeout(this.#timer);
    this.#closed = true;
    await this.#sending;
    this.#send();
    await this.#sending;
    clearTimeout(this.#timer);
  }

  #send(): void {
    this.#sending ??= this.#drain().finally(() => {
      this.#sending = null;
    });
  }

  async #drain(): Promise<void> {
    this.#timer = undefined;
    for (let report = this.#queue[0]; report; report = this.#queue[0]) {
      try {
        await this.#options.deliver(report);
      } catch (error) {
        this.#options.onFailure(error);
        if (this.#closed) return;
        this.#timer = setTimeout(() => this.#send(), this.#waitMs);
        this.#waitMs = Math.min(longestWaitMs, this.#waitMs * 2);
        return;
      }
      // It may have been pushed out while it was on its way.
      if (this.#queue[0] === report) this.#queue.shift();
      this.#waitMs = this.#retryMs;
    }
  }
}
