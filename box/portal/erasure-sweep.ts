// Removes from this box what its owners erased on the portal, at the start and every quarter of an hour.

import { limits } from "../../contract/limits.ts";
import type { Faces } from "../live/faces.ts";
import { describeError, type Log } from "../ops/log.ts";
import type { PortalClient } from "./client.ts";

export interface ErasureSweepOptions {
  portal: Pick<PortalClient, "pendingErasures" | "confirmErasures">;
  faces: Pick<Faces, "erase">;
  weightsVolume: string;
  log: Log;
  everyMs?: number;
  /** The wait after a sweep that failed; it doubles up to the interval. */
  retryMs?: number;
}

export class ErasureSweep {
  readonly #options: ErasureSweepOptions;
  readonly #everyMs: number;
  readonly #retryMs: number;
  #waitMs: number;
  #timer: NodeJS.Timeout | undefined;
  #sweeping: Promise<void> | null = null;
  #closed = false;

  constructor(options: ErasureSweepOptions) {
    this.#options = options;
    this.#everyMs = options.everyMs ?? limits.erasureSweepSeconds * 1000;
    this.#retryMs = Math.min(this.#everyMs, options.retryMs ?? 1_000);
    this.#waitMs = this.#retryMs;
  }

  /** Sweeps now and, from then on, at the interval. */
  start(): void {
    if (this.#closed || this.#sweeping) return;
    clearTimeout(this.#timer);
    this.#sweeping = this.#sweepAndWait();
  }

  /** Lets a sweep under way come to its end and begins no other. */
  async close(): Promise<void> {
    this.#closed = true;
    clearTimeout(this.#timer);
    await this.#sweeping;
  }

  async #sweepAndWait(): Promise<void> {
    let waitMs = this.#everyMs;
    try {
      await this.#sweep();
      this.#waitMs = this.#retryMs;
    } catch (error) {
      // One line for a lapse, however long it lasts.
      const first = this.#waitMs === this.#retryMs;
      if (first) this.#options.log.warn(describeError(error), "erased avatars could not be swept");
      waitMs = this.#waitMs;
      this.#waitMs = Math.min(this.#everyMs, waitMs * 2);
    }
    this.#sweeping = null;
    if (!this.#closed) this.#timer = setTimeout(() => this.start(), waitMs);
  }

  async #sweep(): Promise<void> {
    const { portal, faces, weightsVolume, log } = this.#options;
    // An answer holds only so many; what is confirmed is not in the next one.
    for (;;) {
      const erasures = await portal.pendingErasures(weightsVolume);
      if (erasures.length === 0) return;
      const gone: string[] = [];
      let failed: unknown = null;
      for (const { erasure_id, account, avatar_id, erased_at } of erasures) {
        try {
          if (await faces.erase(account, avatar_id, erased_at)) gone.push(erasure_id);
        } catch (error) {
          failed = error;
        }
      }
      if (gone.length > 0) {
        await portal.confirmErasures(weightsVolume, gone);
        log.info({ avatars: gone.length }, "erased avatars are gone from this box");
      }
      if (failed !== null) throw failed;
      if (gone.length < erasures.length) throw new Error("some erased avatars are still being built");
    }
  }
}
