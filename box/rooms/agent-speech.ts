// An agent's speech: every stream it sends is one segment, played one after another until it is over or the agent wants silence.

import type { Tone } from "../../contract/tones.ts";
import type { Director } from "../live/director.ts";
import type { LiveStage } from "../live/engine.ts";
import type { Playback } from "../live/playback.ts";
import type { SpeechEnd } from "../live/speech.ts";
import { describeError, type Log } from "../ops/log.ts";
import type { IncomingSound } from "./connection.ts";
import { MonoReader, soundFormat, type SoundFormat } from "./pcm.ts";
import { Segment } from "./segment.ts";

/** A stream that brings nothing for so long has lost its end, as LiveKit's own receiver has it (`STREAM_IDLE_TIMEOUT`). */
const idleMs = 10_000;
/** Agents send one segment after another: where the next has begun, the end of the one before it may at most be late. */
const supersededMs = 1_000;

export interface AgentSpeechOptions {
  director: Pick<Director, "admit" | "interrupt">;
  stage: Pick<LiveStage, "beginUtterance" | "pushAudio" | "endUtterance">;
  playback: Playback;
  tone(): Tone;
  /** A segment begins to be heard; `from`: whose. */
  onStarted(from: string): void;
  /** A segment that brought sound is over; exactly once of each. */
  onFinished(end: SpeechEnd, from: string): void;
  log: Log;
  idleMs?: number;
  supersededMs?: number;
}

interface Reading {
  sound: IncomingSound;
  segment: Segment;
  /** The next segment has begun. */
  superseded: boolean;
  timer: NodeJS.Timeout | undefined;
}

export class AgentSpeech {
  readonly #options: AgentSpeechOptions;
  readonly #readings = new Set<Reading>();
  /** Those that may still be heard. */
  readonly #segments = new Set<Segment>();
  #closed = false;

  constructor(options: AgentSpeechOptions) {
    this.#options = options;
  }

  /** A segment of the agent's. One that does not say what it holds is sent away. */
  receive(sound: IncomingSound): void {
    const checked = soundFormat(sound.attributes);
    if (this.#closed || !checked.ok) {
      if (!checked.ok) this.#options.log.warn({ problem: checked.problem }, "an agent's sound was refused");
      void sound.close();
      return;
    }
    for (const reading of this.#readings) {
      reading.superseded = true;
      this.#expectMore(reading);
    }
    const segment = this.#segment(checked.format, sound.from);
    const reading: Reading = { sound, segment, superseded: false, timer: undefined };
    this.#readings.add(reading);
    void this.#read(reading, checked.format);
  }

  /** Silence, now: what was sent so far is dropped, and so is the rest of what is on its way. */
  clear(): void {
    for (const segment of this.#segments) segment.clear();
    if ([...this.#segments].some(({ number }) => number !== null)) void this.#options.director.interrupt();
  }

  /** What was sent is still heard; nothing more of it comes. */
  cutOff(): void {
    for (const reading of this.#readings) this.#end(reading, { cutOff: true });
  }

  close(): void {
    this.#closed = true;
    this.cutOff();
  }

  #segment({ sampleRate }: SoundFormat, from: string): Segment {
    const { stage, playback, tone, onStarted, onFinished } = this.#options;
    const segment = new Segment({
      stage,
      playback,
      sampleRate,
      tone,
      onStarted: () => onStarted(from),
      onFinished: (end) => onFinished(end, from),
    });
    this.#segments.add(segment);
    void segment.ended.then(() => this.#segments.delete(segment));
    return segment;
  }

  async #read(reading: Reading, format: SoundFormat): Promise<void> {
    const { sound, segment } = reading;
    const { director, log } = this.#options;
    const reader = new MonoReader(format);
    let cutOff = false;
    this.#expectMore(reading);
    try {
      for await (const piece of sound.chunks) {
        if (!this.#readings.has(reading)) break;
        this.#expectMore(reading);
        const samples = reader.read(piece);
        if (samples.length === 0) continue;
        if (segment.number === null && !segment.cleared) director.admit(segment, () => segment.open());
        if (!segment.push(samples)) break;
      }
    } catch (error) {
      // As when the agent leaves in the middle of a sentence.
      log.info(describeError(error), "an agent's sound broke off");
      cutOff = true;
    }
    this.#end(reading, { cutOff });
  }

  #expectMore(reading: Reading): void {
    clearTimeout(reading.timer);
    const waitMs = reading.superseded
      ? (this.#options.supersededMs ?? supersededMs)
      : (this.#options.idleMs ?? idleMs);
    reading.timer = setTimeout(() => {
      this.#options.log.warn({ superseded: reading.superseded }, "the end of an agent's segment never came");
      this.#end(reading, { cutOff: false });
    }, waitMs);
  }

  #end(reading: Reading, { cutOff }: { cutOff: boolean }): void {
    clearTimeout(reading.timer);
    if (!this.#readings.delete(reading)) return;
    if (cutOff) reading.segment.cutOff();
    else reading.segment.finish();
    void reading.sound.close();
  }
}
