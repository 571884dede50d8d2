// The tone on the face: that of the clause being heard, and for a moment afterwards.

import { baseTone, type Tone } from "../../contract/tones.ts";
import type { LiveStage } from "./engine.ts";

/** So long a face stays as it was when its last word has been heard. */
export const afterglowMs = 2_000;

export interface ExpressionOptions {
  stage: Pick<LiveStage, "addTone" | "setTone">;
  /** The folders of the avatar's loops by tone, as far as they are ready. */
  loops(): ReadonlyMap<Tone, string>;
  /** A loop that could not be loaded; told once of each. The face shows the base tone in its place. */
  onFailed(tone: Tone, error: unknown): void;
}

export class Expression {
  readonly #options: ExpressionOptions;
  /** What was loaded, or was tried to. */
  readonly #dirs = new Map<Tone, string>();
  /** The tone of what is heard, whether or not the avatar has it. */
  #tone: Tone = baseTone;
  #shown: Tone = baseTone;
  #rest: NodeJS.Timeout | undefined;
  #loading: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: ExpressionOptions) {
    this.#options = options;
  }

  /** Loads the loops that are new or have changed, one after another. Never rejects. */
  dress(): Promise<void> {
    this.#loading = this.#loading.then(() => this.#load());
    return this.#loading;
  }

  /** What is heard from now on is said in this tone. */
  wear(tone: Tone): void {
    clearTimeout(this.#rest);
    if (this.#closed) return;
    this.#tone = tone;
    this.#show();
  }

  /** Nothing is heard any more: back to the base tone, unless something is soon. */
  rest(): void {
    clearTimeout(this.#rest);
    if (this.#closed || this.#tone === baseTone) return;
    this.#rest = setTimeout(() => this.wear(baseTone), afterglowMs);
    this.#rest.unref();
  }

  close(): void {
    this.#closed = true;
    clearTimeout(this.#rest);
  }

  async #load(): Promise<void> {
    for (const [tone, dir] of this.#options.loops()) {
      if (this.#closed) return;
      // The stage was made with the base one.
      if (tone === baseTone || this.#dirs.get(tone) === dir) continue;
      this.#dirs.set(tone, dir);
      try {
        await this.#options.stage.addTone(tone, dir);
        if (!this.#closed && tone === this.#tone) this.#show();
      } catch (error) {
        if (!this.#closed) this.#options.onFailed(tone, error);
      }
    }
  }

  #show(): void {
    const { stage } = this.#options;
    if (this.#shown === this.#tone) return;
    if (stage.setTone(this.#tone)) this.#shown = this.#tone;
    // A tone that the avatar lacks.
    else if (this.#shown !== baseTone && stage.setTone(baseTone)) this.#shown = baseTone;
  }
}
