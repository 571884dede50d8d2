import type { ReportBlock } from "./rtcp.ts";

export interface BitrateOptions {
  initialBps: number;
  minBps: number;
  maxBps: number;
}

/** Loss below which the rate grows and above which it falls, and the steps (draft-ietf-rmcat-gcc-02, section 6). */
const LOSS_LOW = 0.02;
const LOSS_HIGH = 0.1;
const GROWTH = 1.05;
/** Reports may come several times a second; the rate grows at most this often. */
const GROWTH_INTERVAL_MS = 1000;
/** Relative change below which the encoder is left alone. */
const REPORT_STEP = 0.05;

/**
 * How much the receiver can take, from its loss reports and its own estimate (REMB). An avatar at rest sends far less than
 * the link could carry, and REMB never exceeds about one and a half times what arrives: so REMB binds only while we send near
 * it, or silence would starve the next sentence.
 */
export class BitrateEstimator {
  #options: BitrateOptions;
  #lossBasedBps: number;
  #remoteBps: number;
  #reportedBps: number;
  #grownAtMs = -Infinity;
  #window: { atMs: number; bytes: number }[] = [];

  constructor(options: BitrateOptions) {
    this.#options = options;
    this.#lossBasedBps = options.initialBps;
    this.#remoteBps = options.maxBps;
    this.#reportedBps = options.initialBps;
  }

  get bps(): number {
    const { minBps, maxBps } = this.#options;
    return Math.round(Math.min(maxBps, Math.max(minBps, Math.min(this.#lossBasedBps, this.#remoteBps))));
  }

  onSent(bytes: number, nowMs: number): void {
    this.#window.push({ atMs: nowMs, bytes });
    while (this.#window[0] && this.#window[0].atMs < nowMs - 1000) this.#window.shift();
  }

  onReport(block: ReportBlock, nowMs: number): void {
    if (block.fractionLost > LOSS_HIGH) {
      this.#lossBasedBps = Math.max(
        this.#options.minBps,
        this.#lossBasedBps * (1 - 0.5 * block.fractionLost),
      );
      this.#grownAtMs = nowMs;
    } else if (block.fractionLost < LOSS_LOW && nowMs - this.#grownAtMs >= GROWTH_INTERVAL_MS) {
      this.#lossBasedBps = Math.min(this.#options.maxBps, this.#lossBasedBps * GROWTH);
      this.#grownAtMs = nowMs;
    }
  }

  onRemb(bitrateBps: number, nowMs: number): void {
    const sentBps = this.#sentBps(nowMs);
    const binding = bitrateBps < 1.2 * sentBps;
    this.#remoteBps = binding ? bitrateBps : Math.max(this.#remoteBps, bitrateBps);
  }

  /** The estimate when it moved enough to tell the encoder, else undefined. */
  takeChange(): number | undefined {
    const bps = this.bps;
    if (Math.abs(bps - this.#reportedBps) < REPORT_STEP * this.#reportedBps) return undefined;
    this.#reportedBps = bps;
    return bps;
  }

  #sentBps(nowMs: number): number {
    return this.#window.reduce((sum, entry) => (entry.atMs >= nowMs - 1000 ? sum + entry.bytes * 8 : sum), 0);
  }
}
