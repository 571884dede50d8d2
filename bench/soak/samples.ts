// What a box holds and sends, every so often.

import { footprint, processTree } from "../../test/harness/process.ts";
import type { RtcClient } from "../../test/harness/rtc-client.ts";
import { MediaClock } from "./media-clock.ts";

export interface Sample {
  minutes: number;
  rssMib: number;
  /** Of JavaScript, as it stands: garbage that has not been collected yet counts. */
  heapMib: number;
  threads: number;
  fds: number;
  /** Processes that the box has started and that still run. */
  children: number;
  fps: number;
  droppedFrames: number;
  /** How much later pictures come than sound, against the first sample, milliseconds. */
  skewMs: number;
  turns: number;
  failedTurns: number;
}

const mebibyte = 1024 * 1024;

export class Sampler {
  readonly #url: string;
  readonly #pid: number;
  readonly #client: RtcClient;
  readonly #clocks = { audio: new MediaClock(48), video: new MediaClock(90) };
  readonly #startedMs = performance.now();
  #lastMs = performance.now();
  #firstSkewMs: number | null = null;

  constructor(url: string, pid: number, client: RtcClient) {
    this.#url = url;
    this.#pid = pid;
    this.#client = client;
    client.audio.length = 0;
    client.video.length = 0;
  }

  async take(turns: number, failedTurns: number): Promise<Sample> {
    const [stats, metrics] = await Promise.all([
      fetch(`${this.#url}/api/stats`).then(
        (response) => response.json() as Promise<{ dropped_frames: number }>,
      ),
      fetch(`${this.#url}/metrics`).then((response) => response.text()),
    ]);
    const nowMs = performance.now();
    const audio = this.#client.audio.splice(0);
    const video = this.#client.video.splice(0);
    const frames = video.filter(({ marker }) => marker).length;
    const [sound, picture] = [this.#clocks.audio.leastDelayMs(audio), this.#clocks.video.leastDelayMs(video)];
    const skewMs = sound === null || picture === null ? Number.NaN : picture - sound;
    this.#firstSkewMs ??= skewMs;
    const held = footprint(this.#pid);
    const heap = /^visavis_nodejs_heap_size_used_bytes (\S+)$/m.exec(metrics)?.[1];
    const sample = {
      minutes: (nowMs - this.#startedMs) / 60_000,
      rssMib: held.rssBytes / mebibyte,
      heapMib: Number(heap) / mebibyte,
      threads: held.threads,
      fds: held.fds,
      children: processTree(this.#pid).length - 1,
      fps: (frames * 1000) / (nowMs - this.#lastMs),
      droppedFrames: stats.dropped_frames,
      skewMs: skewMs - this.#firstSkewMs,
      turns,
      failedTurns,
    };
    this.#lastMs = nowMs;
    return sample;
  }
}
