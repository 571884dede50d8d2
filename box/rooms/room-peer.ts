// A room in the place of a browser: what leaves the stage goes there as it is, and is encoded there.

import type { MediaPacket } from "../../native/binding/index.js";
import type { LivePeer } from "../live/engine.ts";
import type { PeerState } from "../streaming/peer.ts";
import type { RoomConnection, RoomTracks } from "./connection.ts";

/** RTP's clock of video: RFC 6184, section 8.2.1. */
const ticksPerSecond = 90_000;
const sampleBytes = 2;
/** Packets of 20 ms; a busy moment is shorter. */
const mostAtOnce = 8;

export interface RoomPeerOptions {
  connection: Pick<RoomConnection, "close">;
  tracks: RoomTracks;
  /** Its state has changed. */
  onState(state: PeerState): void;
}

export class RoomPeer implements LivePeer {
  readonly #options: RoomPeerOptions;
  #state: PeerState = "connected";
  readonly #waiting: Buffer[] = [];
  #audio = 0;
  #video = 0;
  #bytes = 0;
  #ticks = 0;
  #lastTimestamp = 0;

  constructor(options: RoomPeerOptions) {
    this.#options = options;
  }

  get state(): PeerState {
    return this.#state;
  }

  become(state: PeerState): void {
    if (this.#state === state || this.#state === "closed" || this.#state === "failed") return;
    this.#state = state;
    this.#options.onState(state);
  }

  /** Sound that comes in one go after a pause is late: of that only the end is sent, or the room would lag from then on. */
  sendAudio({ data }: MediaPacket): boolean {
    if (!this.#open) return false;
    if (this.#waiting.length === 0) queueMicrotask(() => this.#flush());
    this.#waiting.push(data);
    if (this.#waiting.length > mostAtOnce) this.#waiting.shift();
    return true;
  }

  sendVideo({ data, timestamp }: MediaPacket): boolean {
    if (!this.#open) return false;
    // RTP's timestamps begin anew after some 13 hours.
    this.#ticks += (timestamp - this.#lastTimestamp) >>> 0;
    this.#lastTimestamp = timestamp;
    // Never zero: that would be the moment of its arrival.
    this.#options.tracks.picture(data, BigInt(Math.round((this.#ticks * 1e6) / ticksPerSecond) + 1));
    this.#video++;
    this.#bytes += data.length;
    return true;
  }

  addCandidates(): void {
    // A room's own signalling has them.
  }

  stats(): ReturnType<LivePeer["stats"]> {
    return {
      state: this.#state,
      rttMs: null,
      loss: null,
      jitterMs: null,
      estimateBps: 0,
      videoFramesSent: this.#video,
      videoFramesDropped: 0,
      audioPacketsSent: this.#audio,
      bytesSent: this.#bytes,
      keyframeRequests: 0,
      nackedPackets: 0,
    };
  }

  async close(): Promise<void> {
    if (this.#state !== "failed") this.#state = "closed";
    await this.#options.connection.close();
  }

  #flush(): void {
    for (const data of this.#waiting.splice(0)) this.#sound(data);
  }

  #sound(data: Buffer): void {
    if (!this.#open) return;
    const samples = new Int16Array(data.length / sampleBytes);
    for (let i = 0; i < samples.length; i++) samples[i] = data.readInt16LE(i * sampleBytes);
    this.#options.tracks.sound(samples);
    this.#audio++;
    this.#bytes += data.length;
  }

  get #open(): boolean {
    return this.#state === "connected" || this.#state === "disconnected";
  }
}
