// How the conversation of a live session goes on: in which language, and whether it is paused.

import type { Language } from "../../contract/tones.ts";

export type CallChange = { case: "language"; language: Language } | { case: "paused"; paused: boolean };

export interface CallOptions {
  /** That of the voice it begins with. */
  language: Language;
  onChange(change: CallChange): void;
}

export class Call {
  readonly #onChange: (change: CallChange) => void;
  #language: Language;
  #chosenLanguage: Language | null = null;
  #paused = false;

  constructor({ language, onChange }: CallOptions) {
    this.#language = language;
    this.#onChange = onChange;
  }

  get language(): Language {
    return this.#language;
  }

  /** The language that somebody asked for in the call: every voice turns to it. Null while it is as it began. */
  get chosenLanguage(): Language | null {
    return this.#chosenLanguage;
  }

  /** The persona waits to be called back; what is heard meanwhile makes no turn. */
  get paused(): boolean {
    return this.#paused;
  }

  setLanguage(language: Language): void {
    this.#chosenLanguage = language;
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
