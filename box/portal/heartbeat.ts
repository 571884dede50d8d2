// The box's sign of life, which brings back orders and revocations.

import type { Heartbeat, HeartbeatAnswer } from "../../contract/internal/boxes.ts";
import { limits } from "../../contract/limits.ts";
import { describeError, type Log } from "../ops/log.ts";

export interface HeartbeatOptions {
  /** What to say now. */
  compose(revocationsSeen: number): Heartbeat;
  send(heartbeat: Heartbeat): Promise<HeartbeatAnswer>;
  onAnswer(answer: HeartbeatAnswer): void;
  log: Log;
  everyMs?: number;
}

/** A portal that starts beside its box, or comes back, hears of it within a second. */
const retryMs = 1000;

export class Heartbeats {
  readonly #options: HeartbeatOptions;
  #timer: NodeJS.Timeout | undefined;
  #beating: Promise<void> | null = null;
  #again = false;
  #revocationsSeen = 0;
  #closed = false;
  #reachable = true;
  #answeredAtMs = performance.now();

  constructor(options: HeartbeatOptions) {
    this.#options = options;
  }

  /** Beats now and, from then on, at the interval. */
  beat(): void {
    if (this.#closed) return;
    if (this.#beating) {
      this.#again = true;
      return;
    }
    clearTimeout(this.#timer);
    this.#beating = this.#beat().finally(() => {
      this.#beating = null;
      if (this.#again) {
        this.#again = false;
        this.beat();
      } else if (!this.#closed) {
        const everyMs = this.#options.everyMs ?? limits.heartbeatSeconds * 1000;
        this.#timer = setTimeout(() => this.beat(), this.#reachable ? everyMs : Math.min(everyMs, retryMs));
      }
    });
  }

  /** Resolves once the portal has left every beat unanswered for so long from now, or nobody wants to know any more. */
  async silent(forMs: number, enough: AbortSignal): Promise<void> {
    const sinceMs = performance.now();
    while (!enough.aborted) {
      const leftMs = Math.max(sinceMs, this.#answeredAtMs) + forMs - performance.now();
      if (leftMs <= 0) return;
      await pause(leftMs, enough);
    }
  }

  /** A last beat, so that the portal knows at once what has ended. */
  async close(): Promise<void> {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#beating;
    await this.#beat();
  }

  async #beat(): Promise<void> {
    const { compose, send, onAnswer, log } = this.#options;
    try {
      const answer = await send(compose(this.#revocationsSeen));
      this.#revocationsSeen = answer.revocations_seen;
      if (!this.#reachable) log.info("the portal answers again");
      this.#reachable = true;
      this.#answeredAtMs = performance.now();
      onAnswer(answer);
    } catch (error) {
      // One line for a lapse, however long it lasts.
      if (this.#reachable) log.warn(describeError(error), "the portal does not answer");
      this.#reachable = false;
    }
  }
}

function pause(milliseconds: number, enough: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const over = () => {
      clearTimeout(timer);
      enough.removeEventListener("abort", over);
      resolve();
    };
    const timer = setTimeout(over, milliseconds);
    enough.addEventListener("abort", over);
  });
}
