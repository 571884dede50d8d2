// Runs on the browser's audio thread. The page loads it as a file of its own; nothing else imports it.

import { FrameMaker } from "./microphone-frames.ts";

// What an AudioWorkletGlobalScope has; TypeScript's DOM library leaves it out.
declare const sampleRate: number;
declare class AudioWorkletProcessor {
  readonly port: MessagePort;
}
declare function registerProcessor(name: string, processor: new () => AudioWorkletProcessor): void;

class MicrophoneProcessor extends AudioWorkletProcessor {
  readonly #frames = new FrameMaker({
    inputRate: sampleRate,
    onFrame: (frame) => this.port.postMessage(frame, [frame.pcm]),
  });
  #stopped = false;

  constructor() {
    super();
    this.port.addEventListener("message", () => {
      this.#stopped = true;
    });
    this.port.start();
  }

  /** Returns whether it wants to be called again. */
  process([input]: Float32Array[][]): boolean {
    const channel = input?.[0];
    if (channel && !this.#stopped) this.#frames.push(channel);
    return !this.#stopped;
  }
}

registerProcessor("visavis-microphone", MicrophoneProcessor);
