// What the microphone socket tells of one spoken turn after another: each opens once and closes once, whatever cuts it.

import type { MicrophoneEvent } from "../../contract/microphone-socket.ts";
import type { Tone } from "../../contract/tones.ts";
import type { PersonaAction } from "../chat/tools/toolbox.ts";

/** What a running turn reports; reports of any other turn than the open one are too late. */
export type TurnReport = { turn: number } & (
  | { case: "clause"; text: string; tone: Tone }
  | { case: "tool"; name: string; label: string }
  | { case: "action"; action: PersonaAction }
  /** `spec`: the reply was begun before the turn was over. */
  | { case: "first_audio"; atMs: number; spec: boolean }
  | { case: "replied"; reply: string; tone: Tone }
  | { case: "failed"; error: string }
  /** It is over, without words. */
  | { case: "silent" }
);

interface Turn {
  number: number;
  speechEndedAtMs: number;
  open: boolean;
  replied: boolean;
  acted: boolean;
  clauses: { text: string; tone: Tone }[];
  firstAudioAtMs: number | null;
}

/** Somebody who goes on within this time of the reply's beginning has not been answered yet. */
const firstWordsMs = 600;

const interrupted = "The reply was interrupted before it began.";
const nothing = "There was no reply.";

export class SpokenTurn {
  /** The face that answers. */
  avatar = "";
  #turn: Turn | null = null;
  #count = 0;

  get open(): boolean {
    return this.#turn?.open ?? false;
  }

  /** A reply is on its way, and nothing of it is heard yet. */
  get thinking(): boolean {
    return this.open && this.#turn?.firstAudioAtMs === null;
  }

  /** Whether this turn is the open one. */
  runs(number: number): boolean {
    return this.open && this.#turn?.number === number;
  }

  /** Whether somebody who began to speak then, over a reply that was busy or not, goes on with the turn before. */
  resumes(spokeAtMs: number, avatarBusy: boolean): boolean {
    const turn = this.#turn;
    if (!turn || !(turn.open || (turn.replied && avatarBusy))) return false;
    return turn.firstAudioAtMs === null || spokeAtMs - turn.firstAudioAtMs < firstWordsMs;
  }

  begin(speechEndedAtMs: number): { number: number; events: MicrophoneEvent[] } {
    const number = ++this.#count;
    this.#turn = {
      number,
      speechEndedAtMs,
      open: true,
      replied: false,
      acted: false,
      clauses: [],
      firstAudioAtMs: null,
    };
    return { number, events: [{ type: "state", thinking: true }] };
  }

  report(report: TurnReport): MicrophoneEvent[] {
    const turn = this.#turn;
    if (!turn || turn.number !== report.turn) return [];
    if (report.case === "first_audio") turn.firstAudioAtMs ??= report.atMs;
    if (!turn.open) return [];
    switch (report.case) {
      case "clause":
        turn.clauses.push({ text: report.text, tone: report.tone });
        return [{ type: "reply_chunk", text: report.text, tone: report.tone }];
      case "tool":
        return [{ type: "tool", name: report.name, label: report.label }];
      case "action":
        turn.acted = true;
        return [{ type: "action", ...report.action }];
      case "first_audio": {
        const milliseconds = Math.max(0, report.atMs - turn.speechEndedAtMs);
        return [{ type: "metric", first_audio_ms: Math.round(milliseconds * 10) / 10, spec: report.spec }];
      }
      case "replied":
        return this.#close(turn, this.#reply(turn, report.reply, report.tone));
      case "failed":
        return this.#close(turn, { type: "reply_error", error: report.error });
      case "silent":
        return this.#close(turn, turn.acted ? null : { type: "reply_error", error: nothing });
    }
  }

  /** Somebody took the floor: it closes with what was said until now. */
  cut(): MicrophoneEvent[] {
    const turn = this.#turn;
    if (!turn?.open) return [];
    const [first] = turn.clauses;
    if (first) {
      const reply = turn.clauses.map(({ text }) => text).join(" ");
      return this.#close(turn, this.#reply(turn, reply, first.tone));
    }
    return this.#close(turn, turn.acted ? null : { type: "reply_error", error: interrupted });
  }

  #reply(turn: Turn, reply: string, tone: Tone): MicrophoneEvent {
    turn.replied = true;
    return { type: "reply", reply, tone, avatar: this.avatar };
  }

  #close(turn: Turn, last: MicrophoneEvent | null): MicrophoneEvent[] {
    turn.open = false;
    return [...(last ? [last] : []), { type: "state", thinking: false }];
  }
}
