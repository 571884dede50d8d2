// The last seconds of a microphone: what is still to be judged, and what led up to it.

import { frameSamples } from "./voice-activity.ts";

/** Sixteen seconds: a burst of ten that waits to be judged, and what was before it. */
const kept = 1 << 18;
const waitingAtMost = kept - 48_000;

export class Microphone {
  readonly #ring = new Int16Array(kept);
  #written = 0;
  #judged = 0;

  /** Samples that have come. */
  get written(): number {
    return this.#written;
  }

  /** Samples that were judged. */
  get judged(): number {
    return this.#judged;
  }

  push(samples: Int16Array): void {
    const recent =
      samples.length > waitingAtMost ? samples.subarray(samples.length - waitingAtMost) : samples;
    this.#written += samples.length - recent.length;
    const at = this.#written % kept;
    const head = recent.subarray(0, kept - at);
    this.#ring.set(head, at);
    this.#ring.set(recent.subarray(head.length), 0);
    this.#written += recent.length;
    // Judging is a hundred times as fast as speech; a machine that falls this far behind loses the oldest.
    this.#judged = Math.max(this.#judged, this.#written - waitingAtMost);
  }

  /** Copies the next frame and moves on behind it; false when it is not all there. */
  next(frame: Int16Array): boolean {
    if (this.#written - this.#judged < frameSamples) return false;
    const at = this.#judged % kept;
    const head = this.#ring.subarray(at, Math.min(kept, at + frameSamples));
    frame.set(head);
    frame.set(this.#ring.subarray(0, frameSamples - head.length), head.length);
    this.#judged += frameSamples;
    return true;
  }

  /** What has come is not judged any more. */
  skip(): void {
    this.#judged = this.#written;
  }

  /** A copy of the samples [from, to), as far as they are still kept. */
  read(from: number, to: number): Int16Array {
    const start = Math.max(from, this.#written - kept, 0);
    const copy = new Int16Array(Math.max(0, to - start));
    const at = start % kept;
    const head = this.#ring.subarray(at, Math.min(kept, at + copy.length));
    copy.set(head);
    copy.set(this.#ring.subarray(0, copy.length - head.length), head.length);
    return copy;
  }
}
