// Drives the stage: who speaks when, and that everybody stops when told.

import type { ServerEvent } from "../../contract/control-socket.ts";
import type { Tone } from "../../contract/tones.ts";
import type { MediaPacket, StageEvent } from "../../native/binding/index.js";
import type { LiveStage } from "./engine.ts";
import type { Expression } from "./expression.ts";
import type { Playback } from "./playback.ts";
import type { Speech, SpeechEnd } from "./speech.ts";
import { Utterance, type Opening, type UtteranceOptions } from "./utterance.ts";

/** A stage answers an interrupt within a frame; one that does not is not waited for. */
const stageAnswerMs = 300;

/** How long the first sound and the first picture of a reply took, and what took how long of it. */
export type Metric = Extract<ServerEvent, { type: "metric" }>;

export interface DirectorOptions {
  /** Opens the stage; its packets and events go to the director's `packets` and `stageEvent`. */
  stage: LiveStage;
  /** Hears of everything that is said. */
  playback: Playback;
  /** Wears the tone of what is heard. */
  expression: Pick<Expression, "wear" | "rest">;
  publish(event: ServerEvent): void;
  /** Somebody speaks or has just spoken: the session is in use. */
  onActivity(): void;
  onFirstAudio(milliseconds: number): void;
  /** Beside the event of the same figures. */
  onMetric?: ((metric: Metric) => void) | undefined;
}

export class Director {
  readonly #stage: LiveStage;
  readonly #options: DirectorOptions;
  readonly #utterances = new Map<number, Speech>();
  /** Utterances whose first frame has not gone out yet. */
  #awaitingFrame: { utterance: Utterance; startedAtMs: number } | null = null;
  /** Number of the last utterance that was opened. */
  #last = 0;
  #closed = false;

  constructor(options: DirectorOptions) {
    this.#stage = options.stage;
    this.#options = options;
  }

  /** Number of the last utterance that got its place. */
  get last(): number {
    return this.#last;
  }

  /** Something is being said or waits to be. */
  get speaking(): boolean {
    return this.#utterances.size > 0;
  }

  /** An utterance that makes its speech and waits to be opened. */
  hold(options: UtteranceOptions): Utterance {
    return new Utterance(options);
  }

  /** Utterances play one after another. */
  begin({ acceptedAtMs, onFirstAudio, ...options }: UtteranceOptions & Opening): Utterance {
    const utterance = this.hold(options);
    this.open(utterance, { acceptedAtMs, onFirstAudio });
    return utterance;
  }

  /** Gives an utterance, which may have begun to make its speech, its place behind the others. */
  open(utterance: Utterance, opening: Opening): void {
    this.#place(utterance, () => {
      if (!this.#closed) utterance.open(this.#stage, this.#options.playback, opening);
    });
  }

  /** Gives somebody else's sound its place behind what waits; `open` asks the stage for it. Not heard once closed. */
  admit(speech: Speech, open: () => void): void {
    this.#place(speech, () => {
      if (!this.#closed) open();
    });
  }

  /** The face wears a tone that nobody's words brought; when nobody speaks, for a moment. */
  wear(tone: Tone): void {
    this.#options.expression.wear(tone);
    if (!this.speaking) this.#options.expression.rest();
  }

  /**
   * Silence, for everything that got its place up to the utterance `upTo`: what began later goes on. Resolves when the
   * stage has confirmed that everything is over.
   */
  async interrupt(upTo = this.#last): Promise<void> {
    if (this.#closed) return;
    const entries = [...this.#utterances];
    const begun = entries
      .filter(([number]) => number <= upTo)
      .map(([, utterance]) => ({ utterance, playedMs: utteranceAgeMs(utterance) }));
    if (begun.length === 0) return;
    const later = entries.filter(([number]) => number > upTo);
    for (const { utterance } of begun) utterance.stop();
    // Where a later one is heard, the news that those before it are over is on its way.
    if (later.every(([, utterance]) => utterance.startedAtMs === null)) {
      this.#stage.interrupt();
      // A stage falls silent as a whole.
      for (const [number, utterance] of later) {
        this.#utterances.delete(number);
        this.#place(utterance, () => utterance.reopen());
      }
    }
    const timer = setTimeout(() => {
      for (const { utterance, playedMs } of begun) this.#end(utterance, { interrupted: true, playedMs });
    }, stageAnswerMs);
    await Promise.all(begun.map(({ utterance }) => utterance.ended));
    clearTimeout(timer);
  }

  stageEvent(event: StageEvent): void {
    if (event.type === "failed" || event.type === "left_gpu") return;
    const utterance = this.#utterances.get(event.utterance);
    if (!utterance) return;
    if (event.type === "mark") this.#options.expression.wear(utterance.toneAt(event.mark));
    else if (event.type === "utterance_started") this.#start(utterance);
    else this.#end(utterance, event);
  }

  /** Tells the director of media going out, for the metric of the first frame. */
  packet(kind: MediaPacket["kind"]): void {
    const awaiting = this.#awaitingFrame;
    if (kind !== "video" || !awaiting) return;
    this.#awaitingFrame = null;
    const metric = metricOf(awaiting.utterance, awaiting.startedAtMs, performance.now());
    this.#options.publish(metric);
    this.#options.onMetric?.(metric);
  }

  /** Everything is over; nothing can begin any more. The stage itself is closed by its session. */
  close(): void {
    this.#closed = true;
    for (const utterance of this.#utterances.values())
      this.#end(utterance, { interrupted: true, playedMs: utteranceAgeMs(utterance) });
  }

  #place(utterance: Speech, place: () => void): void {
    try {
      place();
    } catch {
      // The stage takes no more, as when too many wait already.
    }
    if (utterance.number === null) utterance.end({ interrupted: true, playedMs: 0 });
    else {
      this.#last = utterance.number;
      this.#utterances.set(utterance.number, utterance);
    }
  }

  #start(utterance: Speech): void {
    const now = performance.now();
    utterance.start(now);
    this.#options.expression.wear(utterance.toneAt(0));
    // How long a reply took is a matter of replies alone.
    if (utterance instanceof Utterance) {
      this.#awaitingFrame = { utterance, startedAtMs: now };
      this.#options.onFirstAudio(now - utterance.acceptedAtMs);
    }
    this.#options.onActivity();
    this.#options.publish({ type: "avatar_speech_started", correlationId: utterance.correlationId });
  }

  #end(utterance: Speech, end: SpeechEnd): void {
    if (utterance.over) return;
    if (utterance.number !== null) this.#utterances.delete(utterance.number);
    if (this.#awaitingFrame?.utterance === utterance) this.#awaitingFrame = null;
    // The event goes first: whoever waits for the end acts after its listeners know.
    if (utterance.startedAtMs !== null)
      this.#options.publish({ type: "avatar_speech_ended", correlationId: utterance.correlationId });
    this.#options.onActivity();
    if (this.#utterances.size === 0) this.#options.expression.rest();
    utterance.end(end);
  }
}

function utteranceAgeMs({ startedAtMs }: Speech): number {
  return startedAtMs === null ? 0 : performance.now() - startedAtMs;
}

const round = (milliseconds: number) => Math.round(milliseconds * 10) / 10;

function metricOf(utterance: Utterance, firstAudioAtMs: number, firstFrameAtMs: number): Metric {
  const { acceptedAtMs, correlationId } = utterance;
  // A reply begun before its turn was accepted has taken no time yet.
  const clauseAtMs = Math.max(acceptedAtMs, utterance.firstClauseAtMs ?? acceptedAtMs);
  const pcmAtMs = Math.max(clauseAtMs, utterance.firstPcmAtMs ?? clauseAtMs);
  return {
    type: "metric",
    correlationId,
    llm_ms: round(clauseAtMs - acceptedAtMs),
    tts_ms: round(pcmAtMs - clauseAtMs),
    first_audio_ms: round(firstAudioAtMs - acceptedAtMs),
    first_frame_ms: round(firstFrameAtMs - acceptedAtMs),
  };
}
