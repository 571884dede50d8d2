// What was said in a live session, line by line, on its way to the session history.

import { transcriptLimits, type TranscriptReport } from "../../contract/internal/sessions.ts";
import type { Tone } from "../../contract/tones.ts";

export type NumberedLine = TranscriptReport["lines"][number];

/** Numbers lines in the order they were said. Handing one on must not take time: a turn does not wait for it. */
export class Transcript {
  readonly #onLine: (line: NumberedLine) => void;
  #next = 0;

  constructor(onLine: (line: NumberedLine) => void) {
    this.#onLine = onLine;
  }

  user(content: string): void {
    this.#add({ role: "user", content, tone: null, at: nowSeconds() });
  }

  /** What of a reply was heard, once that is known; `at` is epoch seconds. Nothing heard is no line. */
  assistant({ heard, tone, at }: { heard: string; tone: Tone; at: number }): void {
    this.#add({ role: "assistant", content: heard, tone, at });
  }

  #add({ content, ...line }: Omit<NumberedLine, "index">): void {
    if (content.trim() === "" || this.#next >= transcriptLimits.lines) return;
    this.#onLine({ index: this.#next, content: content.slice(0, transcriptLimits.lineChars), ...line });
    this.#next++;
  }
}

export function nowSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
