// How late a track's packets come, by their own timestamps.

import type { ReceivedPacket } from "../../test/harness/rtc-client.ts";

export class MediaClock {
  readonly #rate: number;
  #last: number | null = null;
  #ticks = 0;

  /** Ticks of its RTP timestamps in a millisecond. */
  constructor(rate: number) {
    this.#rate = rate;
  }

  /**
   * The least of arrival less timestamp among the packets, milliseconds; null without packets. What a busy machine delays
   * falls out of it, and its difference between two tracks of one clock stays the same for as long as they stay in step.
   */
  leastDelayMs(packets: readonly ReceivedPacket[]): number | null {
    let least: number | null = null;
    for (const { atMs, timestamp } of packets) {
      // Timestamps have 32 bits and wrap around.
      if (this.#last !== null) this.#ticks += (timestamp - this.#last) | 0;
      this.#last = timestamp;
      const delayMs = atMs - this.#ticks / this.#rate;
      least = least === null ? delayMs : Math.min(least, delayMs);
    }
    return least;
  }
}
