// From what a microphone delivers to what the box hears: 16 kHz mono in frames of 32 ms, with how loud each is.

import { Resampler } from "./resampler.ts";

/** Hertz; equal to the contract's `microphoneSampleRate`. */
export const microphoneRate = 16_000;

/** 32 ms. */
export const frameSamples = 512;

export interface MicrophoneFrame {
  /** Signed 16-bit samples in the machine's order, which is little endian on everything that browsers run on. */
  pcm: ArrayBuffer;
  /** Root of the mean square, 0..1. */
  rms: number;
}

export class FrameMaker {
  readonly #resampler: Resampler;
  readonly #onFrame: (frame: MicrophoneFrame) => void;
  #samples = new Int16Array(frameSamples);
  #count = 0;
  #squares = 0;

  constructor({ inputRate, onFrame }: { inputRate: number; onFrame(frame: MicrophoneFrame): void }) {
    this.#resampler = new Resampler({ inputRate, outputRate: microphoneRate });
    this.#onFrame = onFrame;
  }

  push(input: Float32Array): void {
    this.#resampler.push(input, this.#take);
  }

  readonly #take = (sample: number): void => {
    const bounded = Math.max(-1, Math.min(1, sample));
    this.#samples[this.#count] = Math.round(bounded * 32_767);
    this.#squares += bounded * bounded;
    this.#count += 1;
    if (this.#count < frameSamples) return;
    const { buffer } = this.#samples;
    this.#onFrame({ pcm: buffer, rms: Math.sqrt(this.#squares / frameSamples) });
    this.#samples = new Int16Array(frameSamples);
    this.#count = 0;
    this.#squares = 0;
  };
}

/** Sound quieter than this shows nothing on a meter, and sound louder than the second fills it. Decibels below full scale. */
const meterDb = { from: -60, to: -12 };

/** How far a level meter goes, 0..1. */
export function meterLevel(rms: number): number {
  const db = 20 * Math.log10(Math.max(rms, 1e-6));
  return Math.max(0, Math.min(1, (db - meterDb.from) / (meterDb.to - meterDb.from)));
}
