// Whether what the microphone hears is the avatar: its voice comes back later, quieter and coloured, but it rises and
// falls in the same bands at the same times.

import type { PlayedChunk } from "../live/playback.ts";
import { BandEnergies, bandCount, hopMs, hopSamples, quietestDb } from "./band-energies.ts";
import { Comparison } from "./comparison.ts";
import { PlayedSound } from "./played-sound.ts";
import { frameSamples } from "./voice-activity.ts";

/** `unsure`: there was too little to compare yet. */
export type EchoVerdict = "echo" | "unsure" | "speech";

const longestLagHops = Math.ceil(1_000 / hopMs);
/** Microphone measurements that are compared: all of them when the lag is looked for… */
const windowHops = 48;
/** …and the last of them once it is known. */
const recentHops = 22;
/** Fewer tell nothing. */
const fewestHops = 12;
/** What is heard goes the same way as what was played… */
const alike = 0.62;
/** …so much so that lag and level can be learned from it… */
const veryAlike = 0.72;
/** …or that it is the echo even when it is louder than it was before. */
const certainlyAlike = 0.84;
/** Every so many frames the lag is looked for again, though it is known. */
const searchEvery = 16;
const searchWhenUnlikeEvery = 3;
/** The voice must be at least this loud to leave an echo worth learning from, relative to its loudest. */
const audibleBelowPeakDb = 22;
/** Measurements after which a band's level is known; then it follows slowly. */
const knownAfter = 10;
const followsBy = 0.02;
const knownBands = 5;
/** How fast a room falls silent, a hop. */
const decayDb = 1.5;
/** So much louder than the echo could be is somebody else, in at least so many bands. */
const excessDb = 6;
const excessBands = 2;
const unexplainedAt = 0.42;
/** With the voice playing for this long and nothing heard, the browser cancels the echo well. */
const silentHopsForClear = Math.ceil(1_500 / hopMs);

export class Echo {
  readonly #played = new PlayedSound();
  readonly #energies = new BandEnergies();
  readonly #hop = new Float32Array(hopSamples);
  readonly #comparison = new Comparison({ hops: windowHops, lags: longestLagHops + 1 });
  readonly #heard = new Float32Array(windowHops * bandCount).fill(quietestDb);
  readonly #floor = new Float32Array(bandCount).fill(quietestDb);
  readonly #tail = new Float32Array(bandCount).fill(quietestDb);
  /** How much louder the echo is than the voice, a band, and from how many measurements that is known. */
  readonly #gain = new Float32Array(bandCount);
  readonly #known = new Uint16Array(bandCount);
  #levelsKnown = false;
  #hops = 0;
  #frames = 0;
  /** The lag in hops, once it is known. */
  #lag: number | null = null;
  #peakDb = quietestDb;
  #unexplained = 0;
  /** For how long there was more than the echo. */
  #louderHops = 0;
  #silentHops = 0;
  /** Of all that is kept at the best lag, and of the most recent at the known one. */
  #similarity = 0;
  #recent = 0;

  /** How much later than it is played the voice comes back, as far as that is known. */
  get lagMs(): number {
    return (this.#lag ?? 0) * hopMs;
  }

  played(chunk: PlayedChunk, nowMs: number): void {
    this.#played.add(chunk, nowMs);
  }

  /** The avatar was cut short or has ended. */
  cut(): void {
    this.#played.cut();
  }

  /** Judges one frame of the microphone that ends at `endMs`. `speech`: something like speech is in it. */
  judge(frame: Int16Array, { endMs, speech }: { endMs: number; speech: boolean }): EchoVerdict {
    for (let start = 0; start < frameSamples; start += hopSamples) {
      const hop = this.#hop;
      for (let index = 0; index < hopSamples; index += 1) hop[index] = (frame[start + index] ?? 0) / 32_768;
      this.#hear(hop, endMs - ((frameSamples - start - hopSamples) / 16_000) * 1000, speech);
    }
    if (speech) this.#compare(Math.floor(endMs / hopMs) - 1);
    return this.#decide();
  }

  #hear(hop: Float32Array, endMs: number, speech: boolean): void {
    this.#played.advance(endMs);
    const at = (this.#hops % windowHops) * bandCount;
    this.#energies.measure(hop, this.#heard, at);
    this.#hops += 1;
    const now = Math.floor(endMs / hopMs);
    let loudest = quietestDb;
    let excess = 0;
    for (let band = 0; band < bandCount; band += 1) {
      const db = this.#heard[at + band] ?? quietestDb;
      // The floor falls fast and rises slowly: it lies among the quieter moments, not below them all.
      const floor = this.#floor[band] ?? quietestDb;
      this.#floor[band] = this.#hops === 1 ? db : db < floor ? floor + 0.15 * (db - floor) : floor + 0.03;
      const source = this.#sourceAt(now, band);
      loudest = Math.max(loudest, source);
      const tail = Math.max(source, (this.#tail[band] ?? quietestDb) - decayDb);
      this.#tail[band] = tail;
      if ((this.#known[band] ?? 0) < knownAfter) continue;
      const expected = Math.max(tail + (this.#gain[band] ?? 0), floor + 5);
      if (db > expected + excessDb) excess += 1;
    }
    this.#peakDb = Math.max(loudest, this.#peakDb - 0.02);
    this.#unexplained += 0.25 * ((excess >= excessBands ? 1 : 0) - this.#unexplained);
    this.#louderHops = this.#unexplained >= unexplainedAt ? this.#louderHops + 1 : 0;
    if (speech) this.#silentHops = Math.min(this.#silentHops, silentHopsForClear);
    else if (loudest > this.#peakDb - audibleBelowPeakDb && loudest > quietestDb + 20) this.#silentHops += 1;
  }

  /** The loudest the voice was where its echo would come from, one hop to either side. */
  #sourceAt(now: number, band: number): number {
    const at = now - (this.#lag ?? 0) - 1;
    return Math.max(this.#played.at(at - 1, band), this.#played.at(at, band), this.#played.at(at + 1, band));
  }

  #decide(): EchoVerdict {
    if (this.#lag !== null && this.#levelsKnown) {
      if (this.#louderHops === 0) return "echo";
      // Somebody begins to speak, or the avatar was turned up: the next moments tell.
      return this.#recent < certainlyAlike ? "speech" : "unsure";
    }
    if (this.#similarity >= alike) return "echo";
    return this.#silentHops >= silentHopsForClear ? "speech" : "unsure";
  }

  /** Looks for the lag at which what was played explains best what is heard, and learns from a good one. */
  #compare(last: number): void {
    const count = Math.min(this.#hops, windowHops);
    if (count < fewestHops) return;
    this.#frames += 1;
    if (this.#lag !== null) {
      const recent = Math.min(count, recentHops);
      this.#comparison.take({
        count: recent,
        lags: 1,
        heard: this.#heardClamped,
        played: this.#playedClamped(last - this.#lag),
      });
      this.#recent = this.#comparison.similarity(0);
      if (this.#recent >= certainlyAlike && this.#louderHops >= recentHops)
        this.#learn({ last, count: recent, anew: true });
      else if (this.#recent >= veryAlike && this.#louderHops === 0)
        this.#learn({ last, count: 2, anew: false });
      if (this.#frames % (this.#recent >= veryAlike ? searchEvery : searchWhenUnlikeEvery) !== 0) return;
    }
    let best = -1;
    let bestLag = 0;
    this.#comparison.take({
      count,
      lags: longestLagHops + 1,
      heard: this.#heardClamped,
      played: this.#playedClamped(last),
    });
    for (let lag = 0; lag <= longestLagHops; lag += 1) {
      const similarity = this.#comparison.similarity(lag);
      if (similarity > best) {
        best = similarity;
        bestLag = lag;
      }
    }
    this.#similarity = best;
    const found = this.#lag !== null;
    if (best < (found ? certainlyAlike : veryAlike) && (!found || Math.abs(bestLag - (this.#lag ?? 0)) > 2))
      return;
    this.#lag = bestLag;
    if (!found) this.#learn({ last, count, anew: true });
  }

  readonly #heardClamped = (back: number, band: number): number =>
    Math.max(this.#heardAt(back, band), (this.#floor[band] ?? quietestDb) + 3);

  #playedClamped(last: number): (back: number, band: number) => number {
    const quietest = this.#peakDb - 40;
    return (back, band) => Math.max(this.#played.at(last - back, band), quietest);
  }

  #heardAt(back: number, band: number): number {
    return this.#heard[((this.#hops - 1 - back) % windowHops) * bandCount + band] ?? quietestDb;
  }

  /** How loud the echo is, from the last `count` measurements; `anew`: what was known before is of no use. */
  #learn({ last, count, anew }: { last: number; count: number; anew: boolean }): void {
    if (this.#lag === null) return;
    if (anew) {
      this.#known.fill(0);
      this.#unexplained = 0;
      this.#louderHops = 0;
    }
    for (let band = 0; band < bandCount; band += 1) {
      const floor = (this.#floor[band] ?? quietestDb) + 4;
      for (let back = count - 1; back >= 0; back -= 1) {
        const heard = this.#heardAt(back, band);
        const played = this.#played.at(last - this.#lag - back, band);
        if (played < this.#peakDb - audibleBelowPeakDb || heard < floor) continue;
        const known = this.#known[band] ?? 0;
        const gain = this.#gain[band] ?? 0;
        this.#gain[band] = gain + Math.max(followsBy, 1 / (known + 1)) * (heard - played - gain);
        this.#known[band] = Math.min(known + 1, 1_000);
      }
    }
    let bands = 0;
    for (const known of this.#known) if (known >= knownAfter) bands += 1;
    this.#levelsKnown = bands >= knownBands;
  }
}
