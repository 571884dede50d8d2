import type { CannedMedia } from "./media.ts";

interface Sink {
  sendAudio(packet: { data: Buffer; timestamp: number }): boolean;
  sendVideo(frame: { data: Buffer; timestamp: number; keyframe: boolean }): boolean;
}

/** Plays canned media in real time on one clock, and answers keyframe requests by jumping to the next keyframe. */
export class CannedStage {
  #media: CannedMedia;
  #sink: Sink;
  #timer: NodeJS.Timeout;
  #startedAtMs = performance.now();
  #ticks = 0;
  #frame = 0;

  constructor(media: CannedMedia, sink: Sink) {
    this.#media = media;
    this.#sink = sink;
    this.#timer = setInterval(() => this.#catchUp(), 5);
  }

  requestKeyframe(): void {
    const { video } = this.#media;
    while (!video[this.#frame % video.length]?.keyframe) this.#frame += 1;
  }

  close(): void {
    clearInterval(this.#timer);
  }

  #catchUp(): void {
    const { video, audio } = this.#media;
    for (; this.#ticks * 20 <= performance.now() - this.#startedAtMs; this.#ticks += 1) {
      const packet = audio[this.#ticks % audio.length];
      if (packet) this.#sink.sendAudio({ data: packet, timestamp: this.#ticks * 960 });
      const frame = video[this.#frame % video.length];
      if (this.#ticks % 2 === 0 && frame) {
        this.#frame += 1;
        this.#sink.sendVideo({ ...frame, timestamp: this.#ticks * 1800 });
      }
    }
  }
}
