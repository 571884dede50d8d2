// One speaker's turns: speech, silence and words in, a turn's events out. It counts audio, not the clock on the wall.

import type { Language } from "../../contract/tones.ts";
import type { Endpoint, EndOfTurn } from "./end-of-turn.ts";
import type { ListenerEvent } from "./listener.ts";
import { Pace } from "./pace.ts";

/** What the audio says at one moment; times are milliseconds of audio. */
export interface Moment {
  nowMs: number;
  /** Something like speech is heard right now… */
  open: boolean;
  /** …and has gone on for long enough to be speech. */
  confirmed: boolean;
  /** When the stretch of speech began. */
  sinceMs: number;
  /** When the last speech ended. */
  lastSpeechMs: number;
}

export interface TurnTakingOptions {
  language: Language;
  endOfTurn: EndOfTurn;
  /** The recogniser's: the whole turn, at the end of what it was given. */
  settle(): Promise<string>;
  /** Words that are what the avatar says rather than the speaker. */
  isEcho(text: string): boolean;
  /** The avatar is heard: it stops for speech that begins now. */
  avatarSpeaks(): boolean;
  tell(event: ListenerEvent): void;
  failed(): void;
  /** The clock that turns are told in. */
  toClock(audioMs: number): number;
}

/** Shorter silences are the pauses between any two words. */
const likelyAfterMs = 160;
/** Words that have just changed may change again. */
const stableMs = 96;
/** With an unlikely end, a reply is only prepared this long before the wait is over. */
const likelyBeforeMs = 450;
const settleAfterMs = 200;
/** At first; then what settling took before. */
const settleTakesMs = 160;
const settleTakesAtMostMs = 500;
/** A recogniser that says nothing for this long has nothing more to say. */
const settleLimitMs = 2_000;
const longestTurnMs = 60_000;
const longestWaitMs = 2_000;

interface Turn {
  beganMs: number;
  /** Words settled before what is being recognised now. */
  settled: string;
  /** What is being recognised now. */
  heard: string;
  changedMs: number;
  endpoint: Endpoint;
  /** What was last told of as `partial`. */
  told: string;
  likely: string | null;
  settling: boolean;
  settleTimer: NodeJS.Timeout | null;
  /** All words there are were settled. */
  complete: boolean;
  /** Speech went on after settling began. */
  resumed: boolean;
  /** The turn has grown too long: it ends as soon as it is settled. */
  cut: boolean;
  stretchMs: number;
}

export class TurnTaking {
  readonly #options: TurnTakingOptions;
  readonly #pace = new Pace();
  #language: Language;
  #turn: Turn | null = null;
  #moment: Moment = { nowMs: 0, open: false, confirmed: false, sinceMs: 0, lastSpeechMs: 0 };
  #settleTakesMs = settleTakesMs;
  /** When a turn was last cut. */
  #cutMs = 0;
  #ended = false;

  constructor(options: TurnTakingOptions) {
    this.#options = options;
    this.#language = options.language;
  }

  /** A turn has begun and is not over. */
  get open(): boolean {
    return this.#turn !== null;
  }

  /** The words of the last stretch are being settled: silence pushed now would belong to the next. */
  get settling(): boolean {
    return this.#turn !== null && (this.#turn.settling || this.#turn.complete);
  }

  setLanguage(language: Language): void {
    this.#language = language;
  }

  /** Every frame, and now and then while no audio comes. */
  step(moment: Moment): void {
    if (this.#ended) return;
    // Without audio time went on; with audio again, it is counted in samples again.
    if (this.#turn) this.#turn.changedMs = Math.min(this.#turn.changedMs, moment.nowMs);
    this.#moment = moment;
    if (moment.confirmed && moment.open) this.#speech(moment);
    const turn = this.#turn;
    if (!turn) return;
    if (!turn.cut && moment.nowMs - turn.beganMs >= longestTurnMs) {
      turn.cut = true;
      if (!turn.settling) this.#settle(turn);
    }
    if (!moment.open) this.#silence(turn, moment);
  }

  /** All words since the recogniser last settled. */
  heard(text: string): void {
    const turn = this.#turn;
    if (this.#ended || !turn || text === turn.heard) return;
    // Nothing was said since the words were settled: these are late.
    if (turn.complete && !this.#moment.open) return;
    turn.heard = text;
    turn.complete = false;
    turn.changedMs = this.#moment.nowMs;
    this.#revised(turn);
  }

  /** Words held are dropped. */
  drop(): void {
    const turn = this.#turn;
    this.#forget();
    if (turn?.told) this.#options.tell({ case: "nothing" });
  }

  end(): void {
    this.#ended = true;
    this.#forget();
  }

  #forget(): void {
    if (this.#turn?.settleTimer) clearTimeout(this.#turn.settleTimer);
    this.#turn = null;
  }

  #speech(moment: Moment): void {
    let turn = this.#turn;
    if (!turn) {
      // Speech goes on through the end of a turn that was cut.
      const beganMs = Math.min(moment.nowMs, Math.max(moment.sinceMs, this.#cutMs));
      this.#pace.began(this.#options.toClock(beganMs));
      turn = {
        beganMs,
        settled: "",
        heard: "",
        changedMs: moment.nowMs,
        endpoint: this.#options.endOfTurn("", this.#language),
        told: "",
        likely: null,
        settling: false,
        settleTimer: null,
        complete: false,
        resumed: false,
        cut: false,
        stretchMs: moment.sinceMs,
      };
      this.#turn = turn;
      this.#options.tell({ case: "speech_started", atMs: this.#options.toClock(beganMs) });
      return;
    }
    if (turn.settling) turn.resumed = true;
    turn.complete = false;
    if (turn.stretchMs !== moment.sinceMs) {
      turn.stretchMs = moment.sinceMs;
      if (this.#options.avatarSpeaks())
        this.#options.tell({ case: "speech_started", atMs: this.#options.toClock(moment.sinceMs) });
    }
    if (turn.likely !== null) {
      turn.likely = null;
      this.#options.tell({ case: "unlikely" });
    }
  }

  #silence(turn: Turn, { nowMs, lastSpeechMs }: Moment): void {
    const silenceMs = nowMs - lastSpeechMs;
    const waitMs = Math.min(turn.endpoint.waitMs, longestWaitMs);
    const stable = nowMs - turn.changedMs >= stableMs;
    const text = this.#textOf(turn);
    const likelyMs = Math.max(likelyAfterMs, waitMs - likelyBeforeMs);
    if (text && stable && silenceMs >= likelyMs && turn.likely !== text && !turn.cut) {
      turn.likely = text;
      this.#options.tell({ case: "likely", text });
    }
    const settleMs = Math.max(settleAfterMs, waitMs - this.#settleTakesMs);
    if (!turn.settling && !turn.complete && silenceMs >= settleMs && (stable || silenceMs >= waitMs))
      this.#settle(turn);
    if (turn.complete && silenceMs >= waitMs) this.#over(turn);
  }

  #settle(turn: Turn): void {
    turn.settling = true;
    turn.resumed = false;
    const startedMs = this.#moment.nowMs;
    let pending = true;
    const settled = (text: string | null) => {
      if (!pending) return;
      pending = false;
      clearTimeout(timer);
      if (this.#turn !== turn || this.#ended) return;
      const tookMs = Math.max(0, this.#moment.nowMs - startedMs);
      this.#settleTakesMs += 0.3 * (Math.min(1.3 * tookMs + 32, settleTakesAtMostMs) - this.#settleTakesMs);
      this.#settled(turn, text ?? turn.heard);
    };
    const timer = setTimeout(() => settled(null), settleLimitMs);
    turn.settleTimer = timer;
    void this.#options.settle().then(settled, () => {
      if (!pending) return;
      pending = false;
      clearTimeout(timer);
      if (!this.#ended) this.#options.failed();
    });
  }

  #settled(turn: Turn, text: string): void {
    turn.settling = false;
    turn.settled = this.#join(turn.settled, text);
    turn.heard = "";
    turn.complete = !turn.resumed;
    this.#revised(turn);
    if (turn.cut) this.#over(turn);
    else if (!this.#moment.open) this.#silence(turn, this.#moment);
  }

  #revised(turn: Turn): void {
    const text = this.#textOf(turn);
    const endpoint = this.#options.endOfTurn(text, this.#language);
    turn.endpoint = { ...endpoint, waitMs: this.#pace.wait(endpoint.waitMs) };
    if (!text || text === turn.told) return;
    turn.told = text;
    this.#options.tell({ case: "partial", text });
    this.#options.tell({ case: "endpoint", ...turn.endpoint });
  }

  #over(turn: Turn): void {
    this.#turn = null;
    if (turn.cut) this.#cutMs = this.#moment.nowMs;
    const text = this.#textOf(turn);
    if (text) {
      const { lastSpeechMs } = this.#moment;
      if (!turn.cut) this.#pace.ended(this.#options.toClock(this.#moment.nowMs));
      this.#options.tell({ case: "turn", text, speechEndedAtMs: this.#options.toClock(lastSpeechMs) });
    } else if (turn.told) this.#options.tell({ case: "nothing" });
  }

  /** Empty when the words are the avatar's own. */
  #textOf(turn: Turn): string {
    const text = this.#join(turn.settled, turn.heard);
    return text && this.#options.isEcho(text) ? "" : text;
  }

  #join(before: string, after: string): string {
    const text = after.trim();
    if (!before || !text) return before || text;
    return this.#language === "ja" ? before + text : `${before} ${text}`;
  }
}
