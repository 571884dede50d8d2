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
  /** It has arrived, or was given up to make room. */
  onGone?(report: Item, why: "delivered" | "given_up"): void;
  /** The first wait after a failure; it doubles up to a minute. */
  retryMs?: number;
  /** The oldest make room where there are more (1,000), or where they take more together than `sizeMax`. */
  capacity?: number;
  sizeMax?: number;
  sizeOf?(report: Item): number;
  /** What failed goes behind the others: they do not need one another. Otherwise all wait for the first. */
  rotates?: boolean;
}

const longestWaitMs = 60_000;

interface Waiting<Item> {
  item: Item;
  size: number;
  /** Resolves once it is gone. */
  gone: PromiseWithResolvers<void>;
}

export class ReportQueue<Item = Report> {
  readonly #options: ReportQueueOptions<Item>;
  readonly #queue: Waiting<Item>[] = [];
  readonly #retryMs: number;
  #size = 0;
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

  /** What waits, the oldest first. */
  get items(): Item[] {
    return this.#queue.map(({ item }) => item);
  }

  add(item: Item): void {
    const { capacity = 1_000, sizeMax = Infinity, sizeOf } = this.#options;
    const size = sizeOf?.(item) ?? 0;
    this.#queue.push({ item, size, gone: Promise.withResolvers() });
    this.#size += size;
    while (this.#queue.length > 1 && (this.#queue.length > capacity || this.#size > sizeMax))
      this.#drop("given_up");
    if (this.#timer === undefined) this.#send();
  }

  /** Resolves once everything added so far is gone. */
  async passed(): Promise<void> {
    await Promise.all(this.#queue.map(({ gone }) => gone.promise));
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

  #drop(why: "delivered" | "given_up"): void {
    const first = this.#queue.shift();
    if (!first) return;
    this.#size -= first.size;
    this.#options.onGone?.(first.item, why);
    first.gone.resolve();
  }

  #send(): void {
    this.#sending ??= this.#drain().finally(() => {
      this.#sending = null;
    });
  }

  async #drain(): Promise<void> {
    this.#timer = undefined;
    for (let first = this.#queue[0]; first; first = this.#queue[0]) {
      try {
        await this.#options.deliver(first.item);
      } catch (error) {
        this.#options.onFailure(error);
        if (this.#closed) return;
        if (this.#options.rotates && this.#queue[0] === first) this.#queue.push(...this.#queue.splice(0, 1));
        this.#timer = setTimeout(() => this.#send(), this.#waitMs);
        this.#waitMs = Math.min(longestWaitMs, this.#waitMs * 2);
        return;
      }
      // It may have been pushed out while it was on its way.
      if (this.#queue[0] === first) this.#drop("delivered");
      this.#waitMs = this.#retryMs;
    }
  }
}
