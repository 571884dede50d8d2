// One microphone being listened to: every frame is judged, and what comes of it goes to the recogniser and the turns.

import type { Language } from "../../contract/tones.ts";
import type { Playback } from "../live/playback.ts";
import { describeError, type Log } from "../ops/log.ts";
import { AudioClock } from "./audio-clock.ts";
import { Echo } from "./echo.ts";
import { EchoWords } from "./echo-words.ts";
import { endOfTurn, type EndOfTurn } from "./end-of-turn.ts";
import { Feed } from "./feed.ts";
import type { Listener, ListenerEvent } from "./listener.ts";
import { Microphone } from "./microphone.ts";
import { ProviderTurns } from "./provider-turns.ts";
import type { Recognition, RecognitionEvent, RecogniserProvider } from "./recogniser.ts";
import { SpeechGate } from "./speech-gate.ts";
import { TurnTaking, type Moment } from "./turn-taking.ts";
import { frameSamples, type SpeechScorer } from "./voice-activity.ts";

export interface AudioListenerOptions {
  provider: Pick<RecogniserProvider, "mode" | "wants" | "open">;
  scorer: SpeechScorer;
  language: Language;
  playback: Playback | null;
  log: Log;
  onEvent(event: ListenerEvent): void;
  /** Default: performance.now. */
  now?: () => number;
  /** Default: by the words. */
  endOfTurn?: EndOfTurn;
}

/** Speech that counts: shorter is a click, a cough or a breath. */
const speechMs = 128;
/** The avatar is not stopped by a cough… */
const bargeInMs = 256;
/** …nor by what may be its own voice. */
const unsureBargeInMs = 448;
/** The avatar's voice is still on its way, or in the room, for this long. */
const echoAfterMs = 700;
const reverberationMs = 400;
/** Without audio for this long, the clock counts the silence. */
const stalledMs = 300;
const stallCheckMs = 100;
const likelySpeech = 0.35;

export class AudioListener implements Listener {
  readonly #options: AudioListenerOptions;
  readonly #now: () => number;
  readonly #microphone = new Microphone();
  readonly #clock = new AudioClock();
  readonly #gate = new SpeechGate();
  readonly #echo = new Echo();
  readonly #echoWords: EchoWords | null;
  readonly #turns: TurnTaking | null;
  readonly #providerTurns: ProviderTurns;
  readonly #frame = new Int16Array(frameSamples);
  #recognition: Recognition | null = null;
  #feed: Feed | null = null;
  #unsubscribe: (() => void) | null = null;
  #judging: Promise<void> = Promise.resolve();
  #busy = false;
  #stallTimer: NodeJS.Timeout | null = null;
  #arrivedMs = 0;
  #spokeMs = Number.NEGATIVE_INFINITY;
  #speaking = false;
  #muted = false;
  #over = false;
  #closing: Promise<void> | null = null;

  private constructor(options: AudioListenerOptions) {
    this.#options = options;
    this.#now = options.now ?? (() => performance.now());
    this.#echoWords = options.playback && new EchoWords(options.playback);
    const shared = {
      isEcho: (text: string) => this.#echoWords?.explains(text, this.#now()) ?? false,
      tell: (event: ListenerEvent) => this.#tell(event),
      toClock: (audioMs: number) => this.#clock.toClock(audioMs),
    };
    this.#providerTurns = new ProviderTurns(shared);
    this.#turns = options.provider.mode
      ? null
      : new TurnTaking({
          ...shared,
          language: options.language,
          endOfTurn: options.endOfTurn ?? endOfTurn,
          settle: () => this.#recognition?.settle() ?? Promise.resolve(""),
          avatarSpeaks: () => this.#speaking,
          failed: () => this.#fail("Speech recognition ended unexpectedly."),
        });
  }

  /** Rejects with RecognitionError when recognition would not start. */
  static async open(options: AudioListenerOptions): Promise<AudioListener> {
    const listener = new AudioListener(options);
    const recognition = await options.provider.open({
      language: options.language,
      onEvent: (event) => listener.#recognised(event),
    });
    listener.#recognition = recognition;
    listener.#feed = new Feed({
      recognition,
      wants: options.provider.wants,
      read: (from, to) => listener.#microphone.read(from, to),
    });
    listener.#unsubscribe =
      options.playback?.subscribe((chunk) => listener.#echo.played(chunk, listener.#now())) ?? null;
    return listener;
  }

  push(samples: Int16Array): void {
    if (this.#over || this.#muted) return;
    const nowMs = this.#now();
    if (nowMs - this.#arrivedMs >= stalledMs) this.#resumed();
    this.#arrivedMs = nowMs;
    this.#microphone.push(samples);
    this.#clock.arrived(this.#microphone.written / 16, this.#arrivedMs);
    this.#watchPlayback();
    if (!this.#busy) this.#judging = this.#judge();
  }

  setMuted(muted: boolean): void {
    if (muted === this.#muted || this.#over) return;
    this.#muted = muted;
    this.#microphone.skip();
    this.#feed?.skipTo(this.#microphone.written);
    if (!muted) {
      this.#clock.restart(this.#microphone.written / 16);
      return;
    }
    this.#gate.reset();
    this.#recognition?.drop();
    this.#turns?.drop();
    this.#providerTurns.drop();
    this.#watchStalls();
  }

  setLanguage(language: Language): void {
    if (this.#over) return;
    this.#turns?.setLanguage(language);
    this.#recognition?.setLanguage(language);
  }

  close(): Promise<void> {
    return (this.#closing ??= this.#close());
  }

  /** All that was pushed has been judged: whoever pushes faster than anybody speaks waits for it. */
  judged(): Promise<void> {
    return this.#judging;
  }

  async #close(): Promise<void> {
    this.#end();
    await this.#judging;
    await this.#recognition?.close();
  }

  #end(): void {
    this.#over = true;
    this.#turns?.end();
    this.#unsubscribe?.();
    if (this.#stallTimer) clearInterval(this.#stallTimer);
    this.#stallTimer = null;
  }

  #tell(event: ListenerEvent): void {
    if (!this.#over) this.#options.onEvent(event);
  }

  #fail(message: string): void {
    if (this.#over) return;
    this.#end();
    this.#options.onEvent({ case: "failed", message });
  }

  #recognised(event: RecognitionEvent): void {
    if (this.#over) return;
    switch (event.case) {
      case "failed":
        this.#fail(event.message);
        break;
      case "partial":
        if (this.#muted) break;
        if (this.#turns?.open) this.#turns.heard(event.text);
        // Words that nobody was heard to say must not begin the next turn.
        else if (this.#turns && event.text && !this.#gate.open) this.#recognition?.drop();
        break;
      case "speech_started":
        if (!this.#muted) this.#providerTurns.speechStarted();
        break;
      case "turn":
        if (!this.#muted) this.#providerTurns.turn(event.text);
        break;
    }
  }

  /** Frames are judged one after another, as they come. */
  async #judge(): Promise<void> {
    this.#busy = true;
    try {
      while (!this.#over && this.#microphone.next(this.#frame)) {
        const probability = await this.#options.scorer.score(this.#frame);
        if (this.#over || this.#muted) break;
        this.#heard(probability);
      }
    } catch (error) {
      this.#options.log.error(describeError(error), "voice activity detection failed");
      this.#fail("Speech recognition failed on this box.");
    } finally {
      this.#busy = false;
    }
  }

  #heard(probability: number): void {
    const end = this.#microphone.judged;
    const nowMs = end / 16;
    const clockMs = this.#clock.toClock(nowMs);
    const echo =
      this.#options.playback !== null &&
      clockMs - this.#spokeMs <= Math.max(echoAfterMs, this.#echo.lagMs + reverberationMs);
    let enoughMs = speechMs;
    let own = false;
    if (echo) {
      const verdict = this.#echo.judge(this.#frame, { endMs: clockMs, speech: probability >= likelySpeech });
      own = verdict === "echo";
      enoughMs = verdict === "speech" ? bargeInMs : unsureBargeInMs;
    }
    this.#gate.step({ probability: own ? 0 : probability, endMs: nowMs, enoughMs });
    const { open, confirmed, sinceMs, lastSpeechMs } = this.#gate;
    const moment: Moment = { nowMs, open, confirmed, sinceMs, lastSpeechMs };
    if (this.#turns) this.#turns.step(moment);
    else this.#providerTurns.step(moment);
    this.#feed?.step(end, { moment, echo, settling: this.#turns?.settling ?? false });
    this.#watchStalls();
  }

  #watchPlayback(): void {
    const { playback } = this.#options;
    if (!playback) return;
    const speaks = playback.speaking;
    if (speaks) {
      this.#spokeMs = this.#arrivedMs;
      this.#echoWords?.note(this.#arrivedMs);
    } else if (this.#speaking) this.#echo.cut();
    this.#speaking = speaks;
  }

  /** Audio comes again after a while without, which its samples do not count. */
  #resumed(): void {
    const { written, judged } = this.#microphone;
    this.#clock.restart((written - ((written - judged) % frameSamples)) / 16);
    // What is heard now has nothing to do with what was heard then.
    if (this.#turns && !this.#turns.open && !this.#busy) this.#gate.reset();
  }

  /** A muted tab or a broken network sends nothing: then time passes all the same. */
  #watchStalls(): void {
    if (!this.#turns?.open) {
      if (this.#stallTimer) clearInterval(this.#stallTimer);
      this.#stallTimer = null;
      return;
    }
    this.#stallTimer ??= setInterval(() => {
      const missingMs = this.#now() - this.#arrivedMs;
      if (missingMs < stalledMs || this.#busy || !this.#turns) return;
      const heardMs = this.#microphone.judged / 16;
      const { sinceMs, lastSpeechMs } = this.#gate;
      const nowMs = heardMs + missingMs;
      this.#turns.step({ nowMs, open: false, confirmed: false, sinceMs, lastSpeechMs });
      this.#watchStalls();
    }, stallCheckMs);
  }
}
