// A recogniser that knows the words: it tells each a while after it was said, as real ones do.

import type { Recognition, RecognitionEvent } from "../../box/hearing/recogniser.ts";
import type { SpokenWord } from "./speech.ts";

const revealMs = 250;
const settleMs = 80;

export class Oracle {
  readonly #words: readonly SpokenWord[];
  readonly #separator: string;
  #onEvent: ((event: RecognitionEvent) => void) | null = null;
  #nowMs = 0;
  /** Words before this one were settled. */
  #from = 0;
  #told = 0;
  #settling: { dueMs: number; until: number; resolve: (text: string) => void } | null = null;

  constructor(words: readonly SpokenWord[], separator: string) {
    this.#words = words;
    this.#separator = separator;
  }

  readonly provider = {
    mode: null,
    wants: "speech" as const,
    open: ({ onEvent }: { onEvent(event: RecognitionEvent): void }): Promise<Recognition> => {
      this.#onEvent = onEvent;
      return Promise.resolve({
        push: () => {},
        settle: () =>
          new Promise<string>((resolve) => {
            const until = this.#saidBy(this.#nowMs);
            this.#settling = { dueMs: this.#nowMs + settleMs, until, resolve };
          }),
        drop: () => {
          this.#from = this.#saidBy(this.#nowMs);
        },
        setLanguage: () => {},
        close: () => Promise.resolve(),
      });
    },
  };

  /** Audio up to `nowMs` was pushed. */
  advance(nowMs: number): void {
    this.#nowMs = nowMs;
    const settling = this.#settling;
    if (settling && nowMs >= settling.dueMs) {
      this.#settling = null;
      const text = this.#text(this.#from, settling.until);
      this.#from = settling.until;
      this.#told = Math.max(this.#told, settling.until);
      settling.resolve(text);
      return;
    }
    const said = this.#saidBy(nowMs - revealMs);
    if (said <= this.#told || settling) return;
    this.#told = said;
    this.#onEvent?.({ case: "partial", text: this.#text(this.#from, said) });
  }

  #saidBy(ms: number): number {
    const next = this.#words.findIndex(({ endMs }) => endMs > ms);
    return next < 0 ? this.#words.length : next;
  }

  #text(from: number, to: number): string {
    return this.#words
      .slice(from, to)
      .map(({ text }) => text)
      .join(this.#separator);
  }
}
