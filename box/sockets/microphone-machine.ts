// The microphone socket as a state machine: what comes in, what goes out, no I/O and no clock.

import {
  microphoneCloseCode,
  microphoneLimits,
  microphoneMessageSchemas,
  microphoneSampleRate,
  type ConversationMode,
  type MicrophoneEvent,
  type MicrophoneMessage,
  type MicrophoneMessageType,
} from "../../contract/microphone-socket.ts";
import type { ListenerEvent } from "../hearing/listener.ts";
import type { CallChange } from "../live/call.ts";
import { describeIssue } from "../issues.ts";
import { CallState } from "./call-state.ts";
import { jsonMessage, notJson } from "./json-message.ts";
import { recognitionFailed, refusals, type MicrophoneRefusal } from "./microphone-refusals.ts";
import type {
  MicrophoneInput,
  MicrophoneOutput,
  MicrophoneReady,
  MicrophoneState,
} from "./microphone-steps.ts";
import { PcmFrames } from "./pcm-frames.ts";
import { SpokenTurn, type TurnReport } from "./spoken-turn.ts";
import { TokenBucket } from "./token-bucket.ts";

/** A sound that is speech has words by then. */
const wordsWithinMs = 800;
/** Who is silent for longer than this does not go on with what was interrupted. */
const goesOnWithinMs = 5_000;
/** Malformed messages are answered until there are this many; the next one closes the socket. */
const forgivenMistakes = 5;

const text = {
  lapsed: "The credential has expired; send a fresh one in an auth message.",
  bye: "Goodbye.",
  farewell: "The persona has ended the call.",
  failed: "Speech recognition has ended.",
};

const isKnown = (type: string): type is MicrophoneMessageType =>
  Object.hasOwn(microphoneMessageSchemas, type);

const send = (event: MicrophoneEvent): MicrophoneOutput => ({ case: "send", event });

export class MicrophoneMachine {
  readonly #mode: ConversationMode | null;
  readonly #messages: TokenBucket;
  readonly #audio: TokenBucket;
  readonly #frames = new PcmFrames();
  readonly #turn = new SpokenTurn();
  readonly #call: CallState;
  #state: MicrophoneState = "opening";
  #lapsed = false;
  #mistakes = 0;
  #muted = false;
  #deaf = false;
  /** A partial is on the client's screen. */
  #drawn = false;
  #speaking = false;
  /** The next turn goes on with the one that was interrupted. */
  #resumes = false;
  /** When somebody last began to speak. */
  #spokeAtMs: number | null = null;
  /** When a sound began, over a reply that was not heard yet, of which nobody knows whether it is speech. */
  #soundAtMs: number | null = null;
  #notice = "";
  /** What has to wait for `ready`. */
  #held: MicrophoneEvent[] = [];

  constructor({ mode, nowMs }: { mode: ConversationMode | null; nowMs: number }) {
    const { audioRate, burstSeconds, messagesPerSecond } = microphoneLimits;
    this.#mode = mode;
    this.#call = new CallState({ silent: mode !== null });
    this.#messages = new TokenBucket(messagesPerSecond, nowMs);
    this.#audio = new TokenBucket(audioRate, nowMs, burstSeconds);
  }

  get state(): MicrophoneState {
    return this.#state;
  }

  /** What to do about an input, in order. A closed machine does nothing. */
  handle(input: MicrophoneInput): MicrophoneOutput[] {
    if (this.#state === "closed") return [];
    const outputs = this.#handle(input);
    if (this.#state !== "opening") return outputs;
    return outputs.filter((output) => {
      if (output.case === "send") this.#held.push(output.event);
      return output.case !== "send";
    });
  }

  #handle(input: MicrophoneInput): MicrophoneOutput[] {
    switch (input.case) {
      case "opened":
        return this.#open(input.opened);
      case "text":
        return this.#text(input.data, input.nowMs);
      case "audio":
        return this.#pcm(input.bytes, input.nowMs);
      case "heard":
        return this.#heard(input.event, input.busy);
      case "turn":
        return this.#report(input.report);
      case "disturbed":
        return this.#forget();
      case "speaking":
        this.#speaking = input.speaking;
        return [];
      case "notice":
        if (input.notice === this.#notice) return [];
        this.#notice = input.notice;
        return [send({ type: "voice_notice", notice: input.notice })];
      case "call":
        return this.#changed(input.change);
      case "complaint":
        return [send({ type: "error", error: input.error })];
      case "verified":
        if (input.live) this.#lapsed = false;
        return [send({ type: "auth_state", live: input.live })];
      case "credential_lapsed":
        if (this.#lapsed) return [];
        this.#lapsed = true;
        return [send({ type: "auth_required", message: text.lapsed })];
      case "farewell":
        return this.#farewell();
      case "session_ended":
        return [...this.#settle(), ...this.#end(microphoneCloseCode.normal, input.reason)];
      case "refused":
        return this.#refuse(input.refusal, false);
      case "backlog":
        return this.#end(refusals.backlog.code, refusals.backlog.error, true);
      case "disconnected":
        this.#state = "closed";
        return [];
    }
  }

  #open({ ready, avatar, paused, language }: MicrophoneReady): MicrophoneOutput[] {
    if (this.#state !== "opening") return [];
    this.#state = "live";
    this.#turn.avatar = avatar;
    const held = this.#held.splice(0);
    const told = this.#call.open({ paused, language });
    return [send(ready), ...told.map(send), ...held.map(send), ...this.#listen()];
  }

  #text(data: string, nowMs: number): MicrophoneOutput[] {
    if (!this.#messages.take(nowMs)) return this.#refuse(refusals.messageFlood, true);
    const parsed = jsonMessage(data);
    if (!parsed) return this.#mistake(notJson);
    // A newer client may say things this box does not know.
    if (!isKnown(parsed.type)) return [];
    const checked = microphoneMessageSchemas[parsed.type].safeParse(parsed.fields);
    if (!checked.success) return this.#mistake(`${parsed.type}: ${describeIssue(checked.error)}`);
    return this.#message(checked.data);
  }

  #message(message: MicrophoneMessage): MicrophoneOutput[] {
    switch (message.type) {
      case "config":
        return message.voice === undefined ? [] : [{ case: "configure", voice: message.voice }];
      case "mute":
        this.#muted = message.muted;
        return this.#listen();
      case "auth":
        return [{ case: "verify", token: message.token }];
      case "bye":
        return [
          ...this.#settle(),
          { case: "end_session" },
          ...this.#end(microphoneCloseCode.normal, text.bye),
        ];
      case "resume":
        return [...this.#call.resume().map(send), { case: "resume" }, ...this.#listen()];
    }
  }

  #mistake(error: string): MicrophoneOutput[] {
    this.#mistakes++;
    if (this.#mistakes > forgivenMistakes) return this.#refuse(refusals.mistakes, true);
    return [send({ type: "error", error })];
  }

  #pcm(bytes: Uint8Array, nowMs: number): MicrophoneOutput[] {
    const seconds = bytes.length / 2 / microphoneSampleRate;
    if (!this.#audio.take(nowMs, Math.max(seconds, microphoneLimits.leastFrameSeconds)))
      return this.#refuse(refusals.audioFlood, true);
    const samples = this.#frames.push(bytes);
    if (this.#state !== "live" || this.#deaf || samples.length === 0) return [];
    return [{ case: "hear", samples }];
  }

  #heard(event: ListenerEvent, busy: boolean): MicrophoneOutput[] {
    if (event.case === "failed") return this.#failed(event.message);
    // What was begun early for these words has nothing to answer.
    if (event.case === "nothing") {
      this.#soundAtMs = null;
      return [{ case: "drop" }, ...this.#clearCaption()];
    }
    // Words of before may still be on their way.
    if (this.#deaf || this.#state !== "live") return [];
    switch (event.case) {
      case "speech_started":
        return [{ case: "touch" }, ...this.#spoke(event.atMs), ...this.#bargeIn(event.atMs, busy)];
      case "partial":
        if (this.#mode) return [{ case: "touch" }];
        this.#drawn = true;
        return [{ case: "touch" }, ...this.#worded(busy), send({ type: "partial", text: event.text })];
      case "endpoint":
        return [
          send({
            type: "endpoint",
            eot: Math.min(1, Math.max(0, event.eot)),
            wait_ms: Math.round(event.waitMs),
            reason: event.reason,
          }),
        ];
      case "likely":
        return [...this.#worded(busy), { case: "speculate", text: event.text }];
      case "unlikely":
        return [{ case: "drop" }];
      case "turn":
        return this.#take(event.text, event.speechEndedAtMs, busy);
    }
  }

  #failed(message: string): MicrophoneOutput[] {
    // What fails before it has begun would not start.
    if (this.#state === "opening") return this.#refuse(recognitionFailed(message), false);
    return [
      ...this.#settle(),
      send({ type: "error", error: message }),
      ...this.#end(microphoneCloseCode.normal, text.failed),
    ];
  }

  /** Somebody speaks, who has been silent since they last began to unless there are words of theirs. */
  #spoke(atMs: number): MicrophoneOutput[] {
    const before = this.#spokeAtMs;
    this.#spokeAtMs = atMs;
    if (this.#drawn || before === null || atMs - before <= goesOnWithinMs) return [];
    return this.#forget();
  }

  #forget(): MicrophoneOutput[] {
    this.#resumes = false;
    return [{ case: "forget" }];
  }

  #bargeIn(atMs: number, busy: boolean): MicrophoneOutput[] {
    this.#soundAtMs = atMs;
    // A cough leaves no question without its answer: over a reply that nobody hears yet, it takes words.
    if (!this.#speaking && this.#turn.thinking && !this.#mode) return [];
    return this.#worded(busy);
  }

  /** The sound is speech, or taken for it: whoever makes it has the floor. */
  #worded(busy: boolean): MicrophoneOutput[] {
    const atMs = this.#soundAtMs;
    this.#soundAtMs = null;
    if (atMs === null || (!busy && !this.#turn.open)) return [];
    return [{ case: "interrupt" }, ...this.#cut(atMs, busy)];
  }

  /** Somebody has the floor now: the turn before closes with what was said until then. */
  #cut(atMs: number, busy: boolean): MicrophoneOutput[] {
    this.#resumes ||= this.#turn.resumes(atMs, busy);
    const events = [...this.#turn.cut(), ...this.#call.settle()];
    if (this.#speaking) events.push({ type: "state", speaking: false, bargein: true });
    this.#speaking = false;
    return events.map(send);
  }

  #take(words: string, speechEndedAtMs: number, busy: boolean): MicrophoneOutput[] {
    if (!/[\p{L}\p{N}]/u.test(words)) return [{ case: "drop" }, ...this.#clearCaption()];
    // The new turn interrupts by itself.
    const before = [...this.#worded(busy), ...this.#cut(speechEndedAtMs, busy)];
    const continues = this.#resumes;
    this.#resumes = false;
    this.#drawn = false;
    const { number, events } = this.#turn.begin(speechEndedAtMs);
    return [
      ...before,
      send({ type: "final", text: words, continues }),
      ...events.map(send),
      { case: "take", turn: number, text: words },
    ];
  }

  #report(report: TurnReport): MicrophoneOutput[] {
    // Who may have begun to speak a moment ago is not spoken over.
    if (report.case === "first_audio" && this.#turn.runs(report.turn) && this.#soundAtMs !== null) {
      if (report.atMs - this.#soundAtMs < wordsWithinMs) return this.#worded(true);
    }
    if (report.case === "action" && this.#turn.runs(report.turn)) {
      if (!this.#call.acted(report.action)) return [];
    }
    const events = this.#turn.report(report);
    if (!this.#turn.open) events.push(...this.#call.settle());
    return events.map(send);
  }

  #changed(change: CallChange): MicrophoneOutput[] {
    const events = this.#call.changed(change, this.#turn.open);
    const outputs: MicrophoneOutput[] = events.map(send);
    if (change.case === "language") return [...outputs, { case: "language", language: change.language }];
    return [...outputs, ...this.#listen()];
  }

  /** The listener hears unless the microphone is off or the conversation is paused. */
  #listen(): MicrophoneOutput[] {
    const deaf = this.#muted || this.#call.paused;
    if (this.#state !== "live" || deaf === this.#deaf) return [];
    this.#deaf = deaf;
    this.#soundAtMs = null;
    if (!deaf) return [{ case: "deafen", deaf }];
    return [{ case: "deafen", deaf }, { case: "drop" }, ...this.#forget(), ...this.#clearCaption()];
  }

  #clearCaption(): MicrophoneOutput[] {
    if (!this.#drawn) return [];
    this.#drawn = false;
    return [send({ type: "caption_clear" })];
  }

  /** Before the end: what is open on the client's side closes. */
  #settle(): MicrophoneOutput[] {
    if (this.#state !== "live") return [];
    return [...this.#clearCaption(), ...[...this.#turn.cut(), ...this.#call.settle()].map(send)];
  }

  #farewell(): MicrophoneOutput[] {
    return [
      ...this.#settle(),
      send({ type: "session_end", reason: "ended_by_persona_request" }),
      ...this.#end(microphoneCloseCode.normal, text.farewell),
    ];
  }

  /** A fatal error and the close that follows it. */
  #refuse({ code, error, error_code }: MicrophoneRefusal, defect: boolean): MicrophoneOutput[] {
    const event: MicrophoneEvent = {
      type: "error",
      error,
      fatal: true,
      code,
      ...(error_code === undefined ? {} : { error_code }),
    };
    return [...this.#settle(), send(event), ...this.#end(code, error, defect)];
  }

  #end(code: number, reason: string, defect = false): MicrophoneOutput[] {
    this.#state = "closed";
    return [{ case: "close", code, reason, defect }];
  }
}
