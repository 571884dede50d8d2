// One microphone socket: the machine, wired to a WebSocket, the ears, the hub and the turns.

import type { WebSocket } from "ws";
import { microphoneSampleRate, type MicrophoneEvent } from "../../contract/microphone-socket.ts";
import type { Language } from "../../contract/tones.ts";
import type { Access } from "../access/access.ts";
import type { Caller } from "../access/caller.ts";
import type { BoxConfig } from "../config.ts";
import { Refusal } from "../failure.ts";
import type { Ears, Listener } from "../hearing/listener.ts";
import { RecognitionError } from "../hearing/recogniser.ts";
import type { Hub, HubMessage } from "../live/hub.ts";
import type { LiveSession } from "../live/session.ts";
import type { Turns } from "../live/turns.ts";
import { describeError, type Log } from "../ops/log.ts";
import { CredentialWatch } from "./credential-watch.ts";
import { MicrophoneMachine } from "./microphone-machine.ts";
import { recognitionFailed, refusals, type MicrophoneRefusal } from "./microphone-refusals.ts";
import type { MicrophoneInput, MicrophoneOutput } from "./microphone-steps.ts";
import { MicrophoneTurns, refusalOf, type MayDrive } from "./microphone-turns.ts";
import { describeSocketError, Wire } from "./wire.ts";

/** A recogniser that takes longer than this to start does not. */
export const listenWithinMs = 20_000;
/** A holder of the slot that is silent for this long has gone without a word. */
const answersWithinMs = 1_500;

export interface MicrophoneSocketOptions {
  config: Pick<BoxConfig, "speculativeReplies">;
  socket: WebSocket;
  caller: Caller;
  /** The session it is opened for, and the only one it ever speaks into. */
  session: LiveSession | null;
  access: Access;
  hub: Hub;
  turns: Turns;
  ears: Ears;
  mayDrive: MayDrive;
  /** How long after the end of a speaker's last word their reply sounds, whenever one does. */
  onAnswered?: ((milliseconds: number) => void) | undefined;
  log: Log;
  /** Once, as soon as it hears no more. */
  onReleased(): void;
}

export class MicrophoneSocket {
  readonly #options: MicrophoneSocketOptions;
  readonly #machine: MicrophoneMachine;
  readonly #wire: Wire;
  readonly #credential: CredentialWatch;
  readonly #turns: MicrophoneTurns | null;
  readonly #unsubscribe: () => void;
  readonly #inputs: MicrophoneInput[] = [];
  #working = false;
  #released = false;
  #listener: Listener | null = null;

  constructor(options: MicrophoneSocketOptions) {
    this.#options = options;
    const { socket, caller, access, ears, hub, log, session } = options;
    this.#machine = new MicrophoneMachine({ mode: ears.mode, nowMs: performance.now() });
    this.#wire = new Wire({ socket, onBacklog: () => this.#input({ case: "backlog" }) });
    this.#credential = new CredentialWatch({
      caller,
      access,
      log,
      onLapsed: () => this.#input({ case: "credential_lapsed" }),
    });
    this.#turns = session && this.#turnsOf(session);
    this.#unsubscribe = hub.subscribe(caller.account, (message) => this.#hear(message));
    socket.on("message", (data, binary) => {
      const [bytes, nowMs] = [data as Buffer, performance.now()];
      if (binary) this.#input({ case: "audio", bytes, nowMs });
      else this.#input({ case: "text", data: bytes.toString("utf8"), nowMs });
    });
    // A frame over the limit or outside the protocol: ws has closed the socket with its code already.
    socket.on("error", (error) =>
      log.warn(describeSocketError(error), "microphone socket broke the protocol"),
    );
    socket.once("close", (code) => {
      this.#input({ case: "disconnected" });
      this.#release();
      log.info({ code }, "microphone socket closed");
    });
  }

  get account(): string {
    return this.#options.caller.account;
  }

  get caller(): Caller {
    return this.#credential.caller;
  }

  /** The credential it stands on now. */
  get digest(): string {
    return this.#credential.caller.digest;
  }

  get closed(): boolean {
    return this.#machine.state === "closed";
  }

  refuse(refusal: MicrophoneRefusal): void {
    this.#input({ case: "refused", refusal });
  }

  /** Whether somebody is still at the other end. */
  async answers(): Promise<boolean> {
    return (await this.#wire.answers(answersWithinMs)) && !this.closed;
  }

  /** Nobody is at the other end. */
  drop(): void {
    this.#input({ case: "disconnected" });
    this.#release();
    this.#wire.drop();
  }

  /** Attaches the recogniser, and listens. Never rejects: trouble closes the socket. */
  async start(session: LiveSession): Promise<void> {
    const { mayDrive, log } = this.#options;
    const refusal = await refusalOf({ caller: () => this.#credential.caller, mayDrive, log });
    if (refusal) this.refuse(refusal);
    if (this.closed) return;
    const { language } = session.call;
    const listening = this.#listen(session, language);
    try {
      const [listener, voice] = await Promise.all([listening, this.#voiceOf(session)]);
      if (!listener || this.closed) {
        void this.#silence(listener);
        return;
      }
      this.#listener = listener;
      // Somebody may have changed it while the recogniser started.
      if (session.call.language !== language)
        this.#attempt((opened) => opened.setLanguage(session.call.language));
      this.#opened(session, voice);
    } catch (error) {
      // One that listens by now, or comes to, has nobody to listen for.
      listening.then((listener) => this.#silence(listener)).catch(() => undefined);
      if (error instanceof RecognitionError) {
        log.warn(describeError(error.cause ?? error), "speech recognition would not start");
        this.refuse(recognitionFailed(error.message));
      } else {
        log.error(describeError(error), "a microphone could not be set up");
        this.refuse(refusals.setUpFailed);
      }
    }
  }

  #opened(session: LiveSession, voice: { origin: "box" | "user"; notice: string }): void {
    session.recording?.deafened();
    const { mode } = this.#options.ears;
    const ready: Extract<MicrophoneEvent, { type: "ready" }> = {
      type: "ready",
      sample_rate: microphoneSampleRate,
      voice_origin: voice.origin,
      ...(mode === null ? {} : { mode }),
    };
    const { paused, language } = session.call;
    this.#input({ case: "opened", opened: { ready, avatar: session.avatar.id, paused, language } });
    this.#input({ case: "speaking", speaking: session.playback.speaking });
    this.#input({ case: "notice", notice: voice.notice });
  }

  /** Null when the recogniser did not start in time; one that comes late is sent away. */
  #listen(session: LiveSession, language: Language): Promise<Listener | null> {
    const listening = this.#options.ears.listen({
      language,
      playback: session.playback,
      onEvent: (event) => this.#input({ case: "heard", event, busy: session.director.speaking }),
    });
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        this.refuse(refusals.recognitionLate);
        resolve(null);
        listening.then((late) => this.#silence(late)).catch(() => undefined);
      }, listenWithinMs);
      listening.then(resolve, reject).finally(() => clearTimeout(timer));
    });
  }

  /** Whose account the session speaks on; what is amiss with its voice is told by the turns. */
  async #voiceOf(session: LiveSession): Promise<{ origin: "box" | "user"; notice: string }> {
    const { caller } = this.#credential;
    try {
      const { origin, notice } = await this.#options.turns.voiceFor({ caller, session, wish: {} });
      return { origin, notice };
    } catch (error) {
      if (error instanceof Refusal) return { origin: "box", notice: "" };
      throw error;
    }
  }

  #turnsOf(session: LiveSession): MicrophoneTurns {
    const { config, turns, mayDrive, log } = this.#options;
    return new MicrophoneTurns({
      session,
      turns,
      mayDrive,
      early: config.speculativeReplies,
      log,
      caller: () => this.#credential.caller,
      onReport: (report) => this.#input({ case: "turn", report }),
      onNotice: (notice) => this.#input({ case: "notice", notice }),
      onComplaint: (error) => this.#input({ case: "complaint", error }),
      onRefused: (refusal) => this.refuse(refusal),
    });
  }

  #hear(message: HubMessage): void {
    if (message.case === "event") {
      const { event } = message;
      if (event.type === "avatar_speech_started") this.#input({ case: "speaking", speaking: true });
      else if (event.type === "avatar_speech_ended") this.#input({ case: "speaking", speaking: false });
      else if (event.type === "user_message" && this.#turns?.disturbed(event.correlationId))
        this.#input({ case: "disturbed" });
      return;
    }
    if (message.case === "voice") {
      this.#input({ case: "notice", notice: message.notice });
      return;
    }
    if (message.sessionId !== this.#options.session?.id) return;
    switch (message.case) {
      case "call":
        this.#turns?.drop();
        this.#input({ case: "call", change: message.change });
        break;
      case "farewell":
        this.#input({ case: "farewell" });
        break;
      case "expired":
        this.refuse(refusals[message.reason]);
        break;
      case "evicted":
        this.#input({ case: "session_ended", reason: message.error });
        break;
      case "ended":
        this.#input({ case: "session_ended", reason: "The live session has ended." });
        break;
      case "began":
        break;
    }
  }

  /** One input after another: what an output sets off waits for the outputs beside it. */
  #input(input: MicrophoneInput): void {
    this.#inputs.push(input);
    if (this.#working) return;
    this.#working = true;
    try {
      for (let next = this.#inputs.shift(); next; next = this.#inputs.shift())
        for (const output of this.#machine.handle(next)) this.#do(output);
    } finally {
      this.#working = false;
    }
  }

  #do(output: MicrophoneOutput): void {
    const { session } = this.#options;
    switch (output.case) {
      case "send":
        if (output.event.type === "metric") this.#options.onAnswered?.(output.event.first_audio_ms);
        this.#wire.send(output.event);
        break;
      case "close":
        if (output.defect)
          this.#options.log.warn({ code: output.code, reason: output.reason }, "microphone socket refused");
        this.#wire.close(output.code, output.reason);
        this.#release();
        break;
      case "hear":
        session?.recording?.hear(output.samples);
        this.#attempt((listener) => listener.push(output.samples));
        break;
      case "deafen":
        session?.recording?.deafened();
        this.#attempt((listener) => listener.setMuted(output.deaf));
        break;
      case "language":
        this.#attempt((listener) => listener.setLanguage(output.language));
        break;
      case "touch":
        session?.limits.touch();
        break;
      case "interrupt":
        this.#turns?.interrupt();
        break;
      case "speculate":
        this.#turns?.speculate(output.text);
        break;
      case "drop":
        this.#turns?.drop();
        break;
      case "forget":
        this.#turns?.forget();
        break;
      case "take":
        this.#turns?.take(output.turn, output.text);
        break;
      case "configure":
        this.#turns?.configure(output.voice);
        break;
      case "verify":
        void this.#verify(output.token);
        break;
      case "resume":
        session?.call.setPaused(false);
        break;
      case "end_session":
        void session?.end("disconnected");
        break;
    }
  }

  async #verify(token: string): Promise<void> {
    const live = await this.#credential.renew(token);
    const { session } = this.#options;
    if (live && session) session.digest = this.digest;
    this.#input({ case: "verified", live });
  }

  /** A listener that throws has failed. */
  #attempt(use: (listener: Listener) => void): void {
    if (!this.#listener) return;
    try {
      use(this.#listener);
    } catch (error) {
      this.#options.log.error(describeError(error), "the listener broke");
      this.#input({
        case: "heard",
        event: { case: "failed", message: "Speech recognition broke." },
        busy: false,
      });
    }
  }

  async #silence(listener: Listener | null): Promise<void> {
    try {
      await listener?.close();
    } catch (error) {
      this.#options.log.error(describeError(error), "a listener would not close");
    }
  }

  #release(): void {
    if (this.#released) return;
    this.#released = true;
    this.#unsubscribe();
    this.#credential.close();
    this.#turns?.close();
    void this.#silence(this.#listener);
    this.#options.onReleased();
  }
}
