// How the conversation of a live session goes on: in which language, and whether it is paused.

import type { Language } from "../../contract/tones.ts";

export type CallChange = { case: "language"; language: Language } | { case: "paused"; paused: boolean };

export class Call {
  readonly #onChange: (change: CallChange) => void;
  #language: Language = "en";
  #paused = false;

  constructor(onChange: (change: CallChange) => void) {
    this.#onChange = onChange;
  }

  get language(): Language {
    return this.#language;
  }

  /** The persona waits to be called back; what is heard meanwhile makes no turn. */
  get paused(): boolean {
    return this.#paused;
  }

  setLanguage(language: Language): void {
    if (language === this.#language) return;
    this.#language = language;
    this.#onChange({ case: "language", language });
  }

  setPaused(paused: boolean): void {
    if (paused === this.#paused) return;
    this.#paused = paused;
    this.#onChange({ case: "paused", paused });
  }
}
