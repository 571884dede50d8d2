// How long a silent model is waited for.

export interface PatienceLimits {
  /** Nothing arrives at all. */
  silenceMs: number;
  /** The connection lives, but the reply gets no further. */
  standstillMs: number;
}

/** A person on a call waits no longer than this for the first word, nor between two. */
export const defaultPatience: PatienceLimits = { silenceMs: 20_000, standstillMs: 60_000 };

export class Patience {
  readonly #limits: PatienceLimits;
  readonly #onLost: () => void;
  #silence: NodeJS.Timeout | undefined;
  #standstill: NodeJS.Timeout | undefined;
  #lost = false;

  constructor(limits: PatienceLimits, onLost: () => void) {
    this.#limits = limits;
    this.#onLost = onLost;
  }

  /** It has run out. */
  get lost(): boolean {
    return this.#lost;
  }

  /** The reply went on, be it in thoughts or in words. */
  progress(): void {
    clearTimeout(this.#standstill);
    this.#standstill = setTimeout(() => this.#lose(), this.#limits.standstillMs);
    this.life();
  }

  /** A sign of life that brings nothing. */
  life(): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => this.#lose(), this.#limits.silenceMs);
  }

  /** Waits for nothing until the next call. */
  pause(): void {
    clearTimeout(this.#silence);
    clearTimeout(this.#standstill);
  }

  #lose(): void {
    this.pause();
    this.#lost = true;
    this.#onLost();
  }
}
