// What the avatar is saying right now: the sound that a microphone beside the speakers picks up again.

import type { Pcm } from "../voices/voice.ts";

/** A stretch of the avatar's voice, and when its first sample leaves the box (performance.now()). */
export interface PlayedChunk extends Pcm {
  atMs: number;
}

type Tap = (chunk: PlayedChunk) => void;

interface Waiting extends Pcm {
  offsetMs: number;
}

/** Utterances play one after another; each is told of as far as it is made, once it is known when it began. */
export class Playback {
  readonly #taps = new Set<Tap>();
  readonly #waiting = new Map<number, Waiting[]>();
  readonly #startedAtMs = new Map<number, number>();
  readonly #words = new Map<number, string>();

  /** Hands every chunk of the avatar's voice to `tap`, as early as its time is known. Returns what ends that. */
  subscribe(tap: Tap): () => void {
    this.#taps.add(tap);
    return () => this.#taps.delete(tap);
  }

  /** True from an utterance's first sample to its last. */
  get speaking(): boolean {
    return this.#startedAtMs.size > 0;
  }

  /** The words of what is being said, spoken or about to be. */
  get words(): string {
    return [...this.#words.values()].join(" ");
  }

  /** Words that an utterance is going to say. */
  say(utterance: number, text: string): void {
    const before = this.#words.get(utterance);
    this.#words.set(utterance, before === undefined ? text : `${before} ${text}`);
  }

  /** Samples of an utterance, and where in it they lie. */
  made(utterance: number, offsetMs: number, pcm: Pcm): void {
    const startedAtMs = this.#startedAtMs.get(utterance);
    if (startedAtMs !== undefined) this.#tell({ ...pcm, atMs: startedAtMs + offsetMs });
    else this.#waiting.set(utterance, [...(this.#waiting.get(utterance) ?? []), { ...pcm, offsetMs }]);
  }

  started(utterance: number, atMs: number): void {
    this.#startedAtMs.set(utterance, atMs);
    for (const { offsetMs, ...pcm } of this.#waiting.get(utterance) ?? [])
      this.#tell({ ...pcm, atMs: atMs + offsetMs });
    this.#waiting.delete(utterance);
  }

  ended(utterance: number): void {
    this.#startedAtMs.delete(utterance);
    this.#waiting.delete(utterance);
    this.#words.delete(utterance);
  }

  #tell(chunk: PlayedChunk): void {
    for (const tap of this.#taps) tap(chunk);
  }
}
