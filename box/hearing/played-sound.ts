// The avatar's voice as it was played, measured in bands along the clock.

import type { PlayedChunk } from "../live/playback.ts";
import { BandEnergies, bandCount, hopMs, hopSamples, quietestDb } from "./band-energies.ts";

/** Measurements kept: about four seconds. */
const kept = 256;
const keptMs = kept * hopMs;
/** After a longer gap between two measurements, what lies between is of no interest any more. */
const longestGapHops = 128;

/** Chunks are told of ahead of their time; they are measured when it comes, so one cut short is never heard. */
export class PlayedSound {
  readonly #energies = new BandEnergies();
  readonly #bands = new Float32Array(kept * bandCount).fill(quietestDb);
  readonly #hop = new Float32Array(hopSamples);
  #chunks: PlayedChunk[] = [];
  /** The next hop to be measured, counted from the clock's zero. */
  #next = 0;

  add(chunk: PlayedChunk, nowMs: number): void {
    // A microphone that is muted measures nothing, yet what was played is not kept for it.
    while (this.#chunks.length > 0 && endOf(this.#chunks[0]) < nowMs - keptMs) this.#chunks.shift();
    this.#chunks.push(chunk);
  }

  /** What is still to come will not be played. */
  cut(): void {
    this.#chunks = [];
  }

  /** Measures up to now. */
  advance(nowMs: number): void {
    const end = Math.floor(nowMs / hopMs);
    if (end - this.#next > longestGapHops) {
      this.#next = end - longestGapHops;
      this.#bands.fill(quietestDb);
      this.#energies.reset();
    }
    for (; this.#next < end; this.#next += 1) {
      const startMs = this.#next * hopMs;
      while (this.#chunks.length > 0 && endOf(this.#chunks[0]) <= startMs) this.#chunks.shift();
      this.#fill(startMs);
      this.#energies.measure(this.#hop, this.#bands, (this.#next % kept) * bandCount);
    }
  }

  /** Decibels of a band in the hop `hop`, counted from the clock's zero. */
  at(hop: number, band: number): number {
    if (hop >= this.#next || hop < this.#next - kept || hop < 0) return quietestDb;
    return this.#bands[(hop % kept) * bandCount + band] ?? quietestDb;
  }

  /** The hop's samples at 16 kHz, between the two nearest of the voice's own. */
  #fill(startMs: number): void {
    const hop = this.#hop;
    hop.fill(0);
    for (const { samples, sampleRate, atMs } of this.#chunks) {
      if (atMs >= startMs + hopMs) break;
      const step = sampleRate / 16_000;
      let position = ((startMs - atMs) / 1000) * sampleRate;
      for (let index = 0; index < hopSamples; index += 1, position += step) {
        const left = Math.floor(position);
        if (left < 0 || left >= samples.length) continue;
        const before = samples[left] ?? 0;
        const after = samples[left + 1] ?? before;
        hop[index] = (before + (after - before) * (position - left)) / 32_768;
      }
    }
  }
}

const endOf = (chunk: PlayedChunk | undefined): number =>
  chunk ? chunk.atMs + (chunk.samples.length / chunk.sampleRate) * 1000 : 0;
