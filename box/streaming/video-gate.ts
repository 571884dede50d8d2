/** How much unsent-looking video is too much, in seconds at the estimated rate. */
const MAX_BACKLOG_SECONDS = 1;
/** The estimate is cautious; the backlog is taken to drain this much faster. */
const DRAIN_FACTOR = 1.5;

/**
 * Decides which video frames may go out. Media goes straight to the UDP socket, which has no queue to look at, so the backlog
 * in the network is modelled: what was sent less what the estimated rate has drained since. Past a second of it frames are
 * dropped, and then all frames up to the next keyframe, because a decoder can do nothing with what follows a gap.
 */
export class VideoGate {
  #backlogBits = 0;
  #drainedAtMs: number | undefined;
  #waitingForKeyframe = true;

  /** True while frames are held back for a keyframe that somebody should ask for. */
  get waitingForKeyframe(): boolean {
    return this.#waitingForKeyframe;
  }

  /** Shuts the gate until a keyframe arrives: the receiver is new, or lost its state. */
  reset(): void {
    this.#backlogBits = 0;
    this.#drainedAtMs = undefined;
    this.#waitingForKeyframe = true;
  }

  admit({
    bytes,
    keyframe,
    estimateBps,
    nowMs,
  }: {
    bytes: number;
    keyframe: boolean;
    estimateBps: number;
    nowMs: number;
  }): boolean {
    const drainBps = estimateBps * DRAIN_FACTOR;
    const elapsedMs = nowMs - (this.#drainedAtMs ?? nowMs);
    this.#drainedAtMs = nowMs;
    this.#backlogBits = Math.max(0, this.#backlogBits - (drainBps * elapsedMs) / 1000);
    if (this.#waitingForKeyframe && !keyframe) return false;
    // An empty network takes a frame of any size, or a large keyframe could never leave.
    if (this.#backlogBits > 0 && this.#backlogBits + bytes * 8 > drainBps * MAX_BACKLOG_SECONDS) {
      this.#waitingForKeyframe = true;
      return false;
    }
    this.#backlogBits += bytes * 8;
    this.#waitingForKeyframe = false;
    return true;
  }

  /** The transport refused a frame that was admitted. */
  onSendFailed(): void {
    this.#waitingForKeyframe = true;
  }
}
