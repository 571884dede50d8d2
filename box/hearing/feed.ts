// What of the microphone reaches the recogniser.

import type { Recognition } from "./recogniser.ts";
import type { Moment } from "./turn-taking.ts";
import { frameSamples } from "./voice-activity.ts";

/** A word begins before it is loud enough to be told from silence. */
const leadInSamples = 4_800;
/** Silence that a recogniser is given behind speech. */
const behindMs = 320;

export interface FeedOptions {
  recognition: Pick<Recognition, "push">;
  wants: "speech" | "everything";
  /** A copy of the samples [from, to) of the microphone. */
  read(from: number, to: number): Int16Array;
}

export class Feed {
  readonly #options: FeedOptions;
  /** Samples up to here were given. */
  #given = 0;
  /** The frame before was given. */
  #giving = false;

  constructor(options: FeedOptions) {
    this.#options = options;
  }

  /**
   * One frame has been judged; it ends at the sample `end`. `echo`: the avatar may be heard. `settling`: the words
   * given are being settled, and more silence would belong to the next.
   */
  step(end: number, { moment, echo, settling }: { moment: Moment; echo: boolean; settling: boolean }): void {
    const everything = this.#options.wants === "everything";
    const behind = this.#giving && !settling && moment.nowMs - moment.lastSpeechMs <= behindMs;
    const wanted = (moment.open && moment.confirmed) || behind || (everything && !echo);
    if (wanted) {
      const lead = Math.round(moment.sinceMs * 16) - leadInSamples;
      const from = this.#giving ? this.#given : moment.open ? lead : end - frameSamples;
      this.#options.recognition.push(this.#options.read(Math.max(from, this.#given, 0), end));
      this.#given = end;
    } else if (everything) {
      // The avatar's own voice is kept from it, yet time goes on.
      this.#options.recognition.push(new Int16Array(frameSamples));
    }
    this.#giving = wanted;
  }

  /** Nothing before the sample `at` is given any more. */
  skipTo(at: number): void {
    this.#given = at;
    this.#giving = false;
  }
}
