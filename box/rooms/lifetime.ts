// How long the box still has, where its life has an end.

import { limits } from "../../contract/limits.ts";

const minuteMs = 60_000;

export class Lifetime {
  readonly #endsAtMs: number | null;
  /** So long before its end a box takes no more calls that would outlast it; a short life has its first half free. */
  readonly thresholdMinutes: number;

  /** 0: it has no end. */
  constructor(lifeSeconds: number) {
    this.#endsAtMs = lifeSeconds === 0 ? null : performance.now() + lifeSeconds * 1000;
    this.thresholdMinutes =
      lifeSeconds === 0 ? limits.drainMinutes : Math.min(limits.drainMinutes, lifeSeconds / 120);
  }

  /** Null: without end. */
  get minutesLeft(): number | null {
    return this.#endsAtMs === null ? null : Math.max(0, (this.#endsAtMs - performance.now()) / minuteMs);
  }

  get nearEnd(): boolean {
    const left = this.minutesLeft;
    return left !== null && left < this.thresholdMinutes;
  }
}
