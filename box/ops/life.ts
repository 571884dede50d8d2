// How a box's life ends: nothing new is taken, whoever is on it is told and has a while, then everything is closed.

import type { RunningBox } from "../box.ts";
import type { LiveSession } from "../live/session.ts";
import { describeError, type Log } from "./log.ts";

/** After a signal a session has this long to say goodbye; systemd's `TimeoutStopSec` is well above it. */
const defaultGraceMs = 5_000;
/** At the end of its life a box waits no longer for the session that is live then. */
const defaultPatienceMs = 3_600_000;
/** So long recordings may take to reach the storage then. */
const settledWithinMs = 1_800_000;
/** Closing takes milliseconds, or as long as what is being written down; a box that hangs is ended the hard way. */
const closeWithinMs = 15_000;

export interface LifeOptions {
  box: Pick<RunningBox, "drain" | "close"> &
    Partial<Pick<RunningBox, "settled">> & {
      services: { slot: { readonly current: LiveSession | null }; hub: RunningBox["services"]["hub"] };
    };
  log: Log;
  /** Ends the process. */
  exit(code: number): void;
  graceMs?: number;
  patienceMs?: number;
}

const inWords = (milliseconds: number) => {
  const seconds = Math.round(milliseconds / 1000);
  if (seconds < 120) return seconds === 1 ? "a second" : `${seconds} seconds`;
  return `${Math.round(seconds / 60)} minutes`;
};

export class Life {
  readonly #options: Required<LifeOptions>;
  #timer: NodeJS.Timeout | undefined;
  /** Somebody wants the end: no more waiting for a session to end by itself. */
  readonly #stop = new AbortController();
  /** And wants it now: no grace either. */
  readonly #now = new AbortController();
  #ending: Promise<void> | null = null;
  #code = 0;

  constructor(options: LifeOptions) {
    this.#options = { graceMs: defaultGraceMs, patienceMs: defaultPatienceMs, ...options };
  }

  /** 0: it does not end by itself. */
  start(lifeSeconds: number): void {
    if (lifeSeconds === 0) return;
    this.#timer = setTimeout(() => this.#atItsEnd(), lifeSeconds * 1000);
    this.#timer.unref();
  }

  /** Ends soon; asked again, at once. A code other than 0 says that something went wrong. */
  end(why: string, code = 0): void {
    this.#code ||= code;
    if (this.#stop.signal.aborted) {
      if (!this.#now.signal.aborted) this.#options.log.info({ why }, "box ends at once");
      this.#now.abort();
      return;
    }
    this.#options.log.info({ why }, "box ends");
    this.#stop.abort();
    if (code !== 0) this.#now.abort();
    this.#begin(0);
  }

  #atItsEnd(): void {
    if (this.#ending) return;
    this.#options.log.info("the box is at the end of its life and takes no more sessions");
    this.#begin(this.#options.patienceMs);
  }

  #begin(patienceMs: number): void {
    clearTimeout(this.#timer);
    this.#ending ??= this.#end(patienceMs);
  }

  async #end(patienceMs: number): Promise<void> {
    const { box, log, exit, graceMs } = this.#options;
    box.drain();
    if (patienceMs > 0) {
      this.#tell(`This box takes no more sessions; yours ends in ${inWords(patienceMs)} at the latest.`);
      await this.#untilOver(patienceMs, this.#stop.signal);
      // Its disk may be gone with it: what is recorded has a while to be finished and stored.
      const enough = AbortSignal.any([this.#stop.signal, AbortSignal.timeout(settledWithinMs)]);
      await box.settled?.(enough);
    }
    // From here on any signal ends it at once.
    this.#stop.abort();
    this.#tell(`The box is shutting down; this session ends in ${inWords(graceMs)}.`);
    await this.#untilOver(graceMs, this.#now.signal);
    const deadline = setTimeout(() => {
      log.error("the box did not end in time");
      exit(1);
    }, closeWithinMs);
    try {
      await box.close();
    } catch (error) {
      log.error(describeError(error), "the box did not end cleanly");
      this.#code ||= 1;
    }
    clearTimeout(deadline);
    exit(this.#code);
  }

  #tell(message: string): void {
    const { slot, hub } = this.#options.box.services;
    if (slot.current) hub.publish(slot.current.account, { type: "warning", message });
  }

  /** Resolves when no session is live, when the time is up, or when nobody wants to wait any longer. */
  async #untilOver(milliseconds: number, enough: AbortSignal): Promise<void> {
    const late = AbortSignal.any([enough, AbortSignal.timeout(milliseconds)]);
    const { slot } = this.#options.box.services;
    // A session that was being opened may follow the one that ends.
    for (let session = slot.current; session && !late.aborted; session = slot.current) {
      const over = AbortSignal.any([late, session.signal]);
      const ended = session;
      await new Promise<void>((resolve) => {
        if (over.aborted) resolve();
        else over.addEventListener("abort", () => resolve(), { once: true });
      });
      // Told of its end before the slot is free.
      if (!late.aborted && slot.current === ended) await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
