// Whether a call that the persona is about to end really ends: who speaks over the goodbye may keep it.

/** Somebody who speaks over the goodbye has so long to say something. */
const wordsWithinMs = 20_000;

/** Whether the persona is about to end the call. Whoever says something more keeps it. */
export class Departure {
  #leaving = false;
  /** Somebody speaks over the goodbye: what they say decides. Resolves to whether the call ends. */
  #asked: PromiseWithResolvers<boolean> | null = null;

  /** The persona ends the call. */
  begin(): void {
    this.#leaving = true;
  }

  /** There is a new message: the call goes on. */
  cancel(): void {
    this.#leaving = false;
    this.#decide(false);
  }

  /** Somebody wants silence; one who speaks may be about to say something. */
  cut(by: "speaker" | "command"): void {
    if (!this.#leaving) return;
    if (by === "command") this.#decide(true);
    else this.#asked ??= Promise.withResolvers();
  }

  /** Whether the call ends, as soon as that is known. */
  async decided(signal: AbortSignal): Promise<boolean> {
    const asked = this.#asked;
    if (!asked || signal.aborted) return this.#leaving && !signal.aborted;
    const over = () => asked.resolve(false);
    const timer = setTimeout(() => asked.resolve(true), wordsWithinMs);
    signal.addEventListener("abort", over, { once: true });
    const ends = await asked.promise;
    clearTimeout(timer);
    signal.removeEventListener("abort", over);
    return ends;
  }

  #decide(ends: boolean): void {
    this.#asked?.resolve(ends);
    this.#asked = null;
  }
}
