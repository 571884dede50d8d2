// Stretches of speech that a service has named, and their words: told in the order they were spoken in, whatever
// order the words come in.

interface Item {
  id: string;
  /** What is known of its words so far. */
  words: string;
  state: "speaking" | "waiting" | "done";
  /** The sample it ended with, once known. */
  endedAt: number | null;
  timer: NodeJS.Timeout | null;
}

export interface SpokenItemsOptions {
  /** From the end of an item to when it is told with what is known of it. */
  wordsWithinMs: number;
  /** The words of the next item in order; empty when there are none. */
  onTurn(text: string, endedAt: number | null): void;
}

/** A service that names ever more items without their words is not waited for. */
const capacity = 64;

export class SpokenItems {
  readonly #options: SpokenItemsOptions;
  /** As they were spoken. */
  readonly #items: Item[] = [];
  /** Those whose words no longer count; the newest. */
  readonly #gone = new Set<string>();

  constructor(options: SpokenItemsOptions) {
    this.#options = options;
  }

  /** Something is being said, or was said and has no words yet. */
  get busy(): boolean {
    return this.#items.length > 0;
  }

  began(id: string): void {
    this.#item(id);
  }

  stopped(id: string, endedAt: number): void {
    const item = this.#item(id);
    if (item) item.endedAt = endedAt;
  }

  committed(id: string, previous: string | null): void {
    const item = this.#item(id);
    if (!item) return;
    // It comes right after the one it names, where that is still here.
    const before = previous === null ? -1 : this.#items.findIndex((other) => other.id === previous);
    if (before !== -1) {
      this.#items.splice(this.#items.indexOf(item), 1);
      this.#items.splice(this.#items.findIndex((other) => other.id === previous) + 1, 0, item);
    }
    // Speech before it is over as well, even if nobody said so.
    for (const earlier of this.#items.slice(0, this.#items.indexOf(item) + 1)) this.#wait(earlier);
  }

  delta(id: string, words: string): void {
    const item = this.#item(id);
    if (item && item.state !== "done") item.words += words;
  }

  /** Null: there will be no words. */
  completed(id: string, words: string | null): void {
    const item = this.#item(id);
    if (!item || item.state === "done") return;
    item.words = words ?? "";
    this.#finish(item);
  }

  /** Its words do not count, even when they come. */
  leave(id: string): void {
    this.#gone.add(id);
    if (this.#gone.size > 2 * capacity) this.#gone.delete(this.#gone.values().next().value ?? "");
  }

  /** Nor do theirs. */
  forsake(): void {
    for (const { id } of this.#items) this.leave(id);
    this.clear();
  }

  /** Forgets everything. */
  clear(): void {
    for (const { timer } of this.#items) if (timer) clearTimeout(timer);
    this.#items.length = 0;
  }

  #item(id: string): Item | null {
    if (this.#gone.has(id)) return null;
    const known = this.#items.find((item) => item.id === id);
    if (known) return known;
    const item: Item = { id, words: "", state: "speaking", endedAt: null, timer: null };
    this.#items.push(item);
    const [oldest] = this.#items;
    if (this.#items.length > capacity && oldest) this.#finish(oldest);
    return item;
  }

  #wait(item: Item): void {
    if (item.state !== "speaking") return;
    item.state = "waiting";
    item.timer = setTimeout(() => this.#finish(item), this.#options.wordsWithinMs);
  }

  #finish(item: Item): void {
    item.state = "done";
    if (item.timer) clearTimeout(item.timer);
    for (let first = this.#items[0]; first?.state === "done"; first = this.#items[0]) {
      this.#items.shift();
      this.leave(first.id);
      this.#options.onTurn(first.words.trim(), first.endedAt);
    }
  }
}
