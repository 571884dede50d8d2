// One thing the avatar says, from its first clause to its last sample heard.

import { setTimeout as sleep } from "node:timers/promises";
import { baseTone, type Tone } from "../../contract/tones.ts";
import { abortable } from "../chat/abortable.ts";
import type { Clause } from "../chat/speech.ts";
import { pauseAfterMs } from "../voices/speakable.ts";
import type { Pcm } from "../voices/voice.ts";
import type { ChosenVoice } from "../voices/voices.ts";
import type { LiveStage } from "./engine.ts";
import { heardWords, type SpokenPart } from "./heard.ts";
import type { Playback } from "./playback.ts";
import type { Speech, SpeechEnd } from "./speech.ts";

/** Speech is made at most this far ahead of what is heard: an interrupt throws the rest away. */
const aheadMs = 30_000;
/** Speech that may never be heard is made this far only. */
const heldAheadMs = 10_000;

export interface UtteranceEnd {
  interrupted: boolean;
  /** The words that were heard. */
  heard: string;
}

export interface UtteranceOptions {
  voice: ChosenVoice;
  correlationId: string | null;
  /** The voice broke; `finish` rejects with the reason. */
  onFailed?: (() => void) | undefined;
}

/** What an utterance is told when it gets its place on the stage. */
export interface Opening {
  /** performance.now() when the turn was accepted. */
  acceptedAtMs: number;
  /** Its first sample leaves the box, so long after the turn was accepted. */
  onFirstAudio?: ((milliseconds: number) => void) | undefined;
}

interface Place {
  stage: LiveStage;
  playback: Playback;
  number: number;
}

/** Speech is made from the first clause on, and held until the utterance is opened on a stage. */
export class Utterance implements Speech {
  readonly correlationId: string | null;
  acceptedAtMs = performance.now();
  firstClauseAtMs: number | null = null;
  firstPcmAtMs: number | null = null;
  startedAtMs: number | null = null;
  #voice: ChosenVoice;
  readonly #onFailed: (() => void) | undefined;
  readonly #stopped = new AbortController();
  readonly #opened = Promise.withResolvers<void>();
  readonly #ended = Promise.withResolvers<UtteranceEnd>();
  readonly #parts: SpokenPart[] = [];
  readonly #words: string[] = [];
  /** What was made before its first sample was on its way: sound, and where among it a tone begins. */
  readonly #unheard: (Pcm | { mark: number })[] = [];
  /** The tones it is said in, each at the mark of its place. */
  readonly #tones: Tone[] = [];
  #place: Place | null = null;
  #onFirstAudio: Opening["onFirstAudio"];
  #pushedMs = 0;
  #pauseMs = 0;
  #sampleRate = 0;
  #finished = false;
  #over = false;
  #interrupted = false;
  #work: Promise<void> = Promise.resolve();

  constructor({ voice, correlationId, onFailed }: UtteranceOptions) {
    this.#voice = voice;
    this.#onFailed = onFailed;
    this.correlationId = correlationId;
  }

  /** Its number on the stage; null until it is opened. */
  get number(): number | null {
    return this.#place?.number ?? null;
  }

  /** Resolves once nothing of it will be heard any more. */
  get ended(): Promise<UtteranceEnd> {
    return this.#ended.promise;
  }

  get over(): boolean {
    return this.#over;
  }

  /** It was over before it was said to its end. */
  get interrupted(): boolean {
    return this.#interrupted;
  }

  /** The tone that begins at a mark; the first one of all at mark 0. */
  toneAt(mark: number): Tone {
    return this.#tones[mark] ?? baseTone;
  }

  /** No more speech is made for it. */
  get stopped(): boolean {
    return this.#stopped.signal.aborted;
  }

  /** Gives it its place on the stage, where what was held goes first. Throws when the stage takes no more. */
  open(stage: LiveStage, playback: Playback, { acceptedAtMs, onFirstAudio }: Opening): void {
    if (this.#over || this.#place) return;
    this.acceptedAtMs = acceptedAtMs;
    this.#onFirstAudio = onFirstAudio;
    this.#enter(stage, playback);
    this.#opened.resolve();
  }

  /** Gives one that was not heard yet a place of its own again. Throws when the stage takes no more. */
  reopen(): void {
    const place = this.#place;
    if (this.#over || !place || this.startedAtMs !== null) return;
    place.playback.ended(place.number);
    this.#place = null;
    this.#enter(place.stage, place.playback);
  }

  /** Queues a clause. Resolves when its speech was made, or at once after an interrupt. Rejects with VoiceError. */
  say(clause: Pick<Clause, "text" | "tone">): Promise<void> {
    this.firstClauseAtMs ??= performance.now();
    if (!this.#over) {
      this.#words.push(clause.text);
      this.#place?.playback.say(this.#place.number, clause.text);
    }
    const voice = this.#voice;
    this.#work = this.#work.then(() => this.#speak(clause, voice));
    // The caller may look at the failure later, through finish().
    this.#work.catch(() => this.#onFailed?.());
    return this.#work;
  }

  /** What is said from now on is said in another voice, as when the call changes its language. */
  changeVoice(voice: ChosenVoice): void {
    this.#voice = voice;
  }

  /** Nothing follows. Resolves when everything was made; rejects with the first VoiceError. */
  async finish(): Promise<void> {
    try {
      await this.#work;
    } finally {
      this.#finished = true;
      if (this.#place && !this.#over) this.#place.stage.endUtterance(this.#place.number);
    }
  }

  /** Its first sample leaves the box. */
  start(atMs: number): void {
    this.startedAtMs = atMs;
    this.#unheard.length = 0;
    if (this.#place) this.#place.playback.started(this.#place.number, atMs);
    this.#onFirstAudio?.(atMs - this.acceptedAtMs);
  }

  /** Stops making speech; what the stage still holds is the director's to drop. */
  stop(): void {
    this.#stopped.abort();
  }

  /** The stage says that it is over, or the session is. */
  end({ interrupted, playedMs }: SpeechEnd): void {
    if (this.#over) return;
    this.#over = true;
    this.#interrupted = interrupted;
    this.#stopped.abort();
    this.#unheard.length = 0;
    if (this.#place) this.#place.playback.ended(this.#place.number);
    const heard = interrupted
      ? heardWords(this.#parts, Math.min(playedMs, this.#pushedMs))
      : heardWords(this.#parts, this.#pushedMs);
    this.#ended.resolve({ interrupted, heard });
  }

  #enter(stage: LiveStage, playback: Playback): void {
    const number = stage.beginUtterance();
    this.#place = { stage, playback, number };
    for (const text of this.#words) playback.say(number, text);
    const made = this.#unheard.splice(0);
    this.#pushedMs = 0;
    for (const part of made) {
      if ("mark" in part) this.#mark(part.mark);
      else this.#push(part);
    }
    if (this.#finished) stage.endUtterance(number);
  }

  async #speak({ text, tone }: Pick<Clause, "text" | "tone">, { engine, voice }: ChosenVoice): Promise<void> {
    const { signal } = this.#stopped;
    await this.#notTooFarAhead(signal);
    if (signal.aborted) return;
    this.#breathe();
    const part: SpokenPart = { text, startMs: this.#pushedMs, endMs: this.#pushedMs, whole: false };
    this.#parts.push(part);
    if (tone !== this.#tones.at(-1)) this.#mark(this.#tones.push(tone) - 1);
    // An engine that does not heed its signal must not hold up the turn.
    for await (const pcm of abortable(engine.synthesize({ text, tone, voice, signal }), signal)) {
      if (!this.#push(pcm)) return;
      part.endMs = this.#pushedMs;
      this.firstPcmAtMs ??= performance.now();
    }
    if (signal.aborted) return;
    part.whole = true;
    this.#pauseMs = pauseAfterMs(text);
  }

  #push(pcm: Pcm): boolean {
    if (this.#over) return false;
    const place = this.#place;
    if (place && !place.stage.pushAudio(place.number, pcm.samples, pcm.sampleRate)) return false;
    place?.playback.made(place.number, this.#pushedMs, pcm);
    if (this.startedAtMs === null) this.#unheard.push(pcm);
    this.#sampleRate = pcm.sampleRate;
    this.#pushedMs += (pcm.samples.length / pcm.sampleRate) * 1000;
    return true;
  }

  /** Playback tells when it gets here. */
  #mark(mark: number): void {
    if (this.#over) return;
    if (this.#place) this.#place.stage.addMark(this.#place.number, mark);
    if (this.startedAtMs === null) this.#unheard.push({ mark });
  }

  /** The pause before a clause that follows another. */
  #breathe(): void {
    if (this.#pauseMs === 0 || this.#sampleRate === 0) return;
    const samples = new Int16Array(Math.round((this.#pauseMs / 1000) * this.#sampleRate));
    this.#push({ samples, sampleRate: this.#sampleRate });
    this.#pauseMs = 0;
  }

  async #notTooFarAhead(signal: AbortSignal): Promise<void> {
    if (!this.#place && this.#pushedMs > heldAheadMs) await this.#openedOrStopped(signal);
    const heardMs = () => (this.startedAtMs === null ? 0 : performance.now() - this.startedAtMs);
    for (let over = this.#pushedMs - heardMs() - aheadMs; over > 0 && !signal.aborted;) {
      await sleep(Math.min(over, 1_000), undefined, { signal }).catch(() => undefined);
      over = this.#pushedMs - heardMs() - aheadMs;
    }
  }

  async #openedOrStopped(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const stopped = Promise.withResolvers<void>();
    const stop = () => stopped.resolve();
    signal.addEventListener("abort", stop, { once: true });
    await Promise.race([this.#opened.promise, stopped.promise]);
    signal.removeEventListener("abort", stop);
  }
}
