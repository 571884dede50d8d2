// The microphone of a live session: what a page calls and listens to.

import type { MicrophoneEvent, MicrophoneMessage } from "../../contract/microphone-socket.ts";
import { asVisavisError, clientError, type VisavisError } from "./errors.ts";
import { type CloseReason, Emitter } from "./events.ts";
import type { Http } from "./http.ts";
import { Capture } from "./microphone-capture.ts";
import { meterLevel } from "./microphone-frames.ts";
import { MicrophoneSocket, type MicrophoneSocketState } from "./microphone-socket.ts";

/** `asking`: the browser asks the person. `reconnecting`: the box cannot hear right now; it is dialled again. */
export type MicrophoneState = "off" | "asking" | "connecting" | "listening" | "reconnecting";

type Wire = {
  [Event in MicrophoneEvent as Uppercase<Event["type"]>]: Event extends unknown ? Omit<Event, "type"> : never;
};

/** The wire's events under their names in capitals, and two of this side's own. */
export interface MicrophoneEventMap extends Wire {
  /** `error`: why it is off or reconnecting, when nobody asked for that. */
  MICROPHONE_STATE: { state: MicrophoneState; muted: boolean; error: VisavisError | null };
  /** About thirty times a second while sound is read: how far a level meter goes, 0..1. */
  LEVEL: { level: number };
}
export type MicrophoneEventName = keyof MicrophoneEventMap;
export type MicrophoneListener<Name extends MicrophoneEventName> = (event: MicrophoneEventMap[Name]) => void;

export interface MicrophoneStartOptions {
  /** One of `navigator.mediaDevices.enumerateDevices()`; the browser's choice unless given. */
  deviceId?: string;
  avatar?: string;
  voice?: string;
}

export interface MicrophoneDependencies {
  http: Http;
  /** Where the worklet's script is, for pages whose bundler does not know `?worker&url`. */
  workletUrl?: string | undefined;
  /** Whether there is a session to speak in, and whether it is up. */
  session(): "none" | "opening" | "live";
  /** The persona said goodbye. */
  onSessionEnd(): void;
}

const states: Record<MicrophoneSocketState, MicrophoneState> = {
  idle: "connecting",
  dialling: "connecting",
  open: "connecting",
  ready: "listening",
  waiting: "reconnecting",
  held: "reconnecting",
  ended: "off",
};

interface Start {
  promise: Promise<void>;
  resolve(): void;
  reject(error: VisavisError): void;
}

export class Microphone {
  readonly #emitter = new Emitter<MicrophoneEventMap>();
  readonly #dependencies: MicrophoneDependencies;
  #state: MicrophoneState = "off";
  #muted = false;
  /** A `resume` that the box has not answered. */
  #resuming = false;
  #config: { avatar?: string; voice?: string } = {};
  #abort: AbortController | null = null;
  #capture: Capture | null = null;
  #socket: MicrophoneSocket | null = null;
  #start: Start | null = null;

  constructor(dependencies: MicrophoneDependencies) {
    this.#dependencies = dependencies;
  }

  get state(): MicrophoneState {
    return this.#state;
  }

  get muted(): boolean {
    return this.#muted;
  }

  /** Returns a function that removes the listener again. */
  addListener<Name extends MicrophoneEventName>(name: Name, listener: MicrophoneListener<Name>): () => void {
    return this.#emitter.addListener(name, listener);
  }

  removeListener<Name extends MicrophoneEventName>(name: Name, listener: MicrophoneListener<Name>): void {
    this.#emitter.removeListener(name, listener);
  }

  /**
   * Asks for the microphone and resolves once the box listens. Call it in answer to a click. Rejects with the reason, and
   * with code `aborted` when it was stopped meanwhile.
   */
  start({ deviceId, ...config }: MicrophoneStartOptions = {}): Promise<void> {
    if (this.#dependencies.session() === "none") {
      return Promise.reject(clientError("not_connected", "There is no live session; connect first."));
    }
    if (this.#start) return this.#start.promise;
    if (this.#state !== "off") return Promise.resolve();
    this.#config = config;
    this.#muted = false;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#start = { promise, resolve, reject };
    void this.#open(deviceId);
    return promise;
  }

  /** Gives the device back and leaves the socket. The session goes on. */
  stop(): void {
    this.#free();
    this.#report("off", null);
    this.#settle(clientError("aborted", "The microphone was switched off."));
  }

  /** The box hears nothing until `unmute()`, and forgets half a sentence. The device stays open. */
  mute(): void {
    this.#setMuted(true);
  }

  unmute(): void {
    this.#setMuted(false);
  }

  /** Ends a pause that the persona began. While the microphone is reconnecting, the next socket is told. */
  resume(): void {
    if (this.#state === "off") return;
    this.#resuming = true;
    this.#socket?.send({ type: "resume" });
  }

  /** Picks another voice for what is said from now on. The live face stays, whatever `avatar` says. */
  configure(config: { avatar?: string; voice?: string }): void {
    this.#config = { ...this.#config, ...config };
    this.#socket?.send({ type: "config", ...this.#config });
  }

  /** The session's state has changed. */
  sessionChanged(): void {
    if (this.#dependencies.session() === "live") this.#socket?.sessionIsLive();
  }

  /** The session is over. */
  sessionClosed(reason: CloseReason): void {
    if (reason === "disconnected") this.#socket?.send({ type: "bye" });
    this.stop();
  }

  async #open(deviceId: string | undefined): Promise<void> {
    const abort = new AbortController();
    this.#abort = abort;
    this.#report("asking", null);
    try {
      const capture = await Capture.open({
        deviceId,
        workletUrl: this.#dependencies.workletUrl,
        signal: abort.signal,
        onFrame: ({ pcm, rms }) => this.#onFrame(pcm, rms),
        onLost: (error) => this.#fail(error),
      });
      if (abort.signal.aborted) {
        capture.close();
        return;
      }
      this.#capture = capture;
      capture.setMuted(this.#muted);
      this.#dial();
    } catch (thrown) {
      if (!abort.signal.aborted) this.#fail(asVisavisError(thrown));
    }
  }

  #dial(): void {
    const { http, session, onSessionEnd } = this.#dependencies;
    const socket = new MicrophoneSocket({
      http,
      greeting: () => this.#greeting(),
      isLive: () => session() === "live",
      onState: (state, error) => {
        if (state !== "ended" && socket === this.#socket) this.#report(states[state], error);
        if (state === "ready") this.#settle(null);
      },
      onEvent: (event) => {
        const { type, ...fields } = event;
        if (event.type === "action" && event.name === "pause_conversation" && !event.paused)
          this.#resuming = false;
        this.#emitter.emit(type.toUpperCase() as MicrophoneEventName, fields as never);
        if (type === "session_end") onSessionEnd();
      },
      onEnded: (error) => this.#fail(error),
    });
    this.#socket = socket;
    socket.open();
  }

  #greeting(): MicrophoneMessage[] {
    const config: MicrophoneMessage = { type: "config", ...this.#config };
    const greeting: MicrophoneMessage[] = [config];
    if (this.#muted) greeting.push({ type: "mute", muted: true });
    if (this.#resuming) greeting.push({ type: "resume" });
    return greeting;
  }

  #onFrame(pcm: ArrayBuffer, rms: number): void {
    if (this.#state === "off") return;
    if (!this.#muted) this.#socket?.sendSound(pcm);
    this.#emitter.emit("LEVEL", { level: this.#muted ? 0 : meterLevel(rms) });
  }

  #setMuted(muted: boolean): void {
    if (this.#state === "off" || muted === this.#muted) return;
    this.#muted = muted;
    this.#capture?.setMuted(muted);
    this.#socket?.send({ type: "mute", muted });
    this.#emitter.emit("MICROPHONE_STATE", { state: this.#state, muted, error: null });
  }

  #fail(error: VisavisError): void {
    this.#free();
    this.#report("off", error);
    this.#settle(error);
  }

  #free(): void {
    this.#resuming = false;
    this.#abort?.abort();
    this.#abort = null;
    this.#socket?.close();
    this.#socket = null;
    this.#capture?.close();
    this.#capture = null;
  }

  #report(state: MicrophoneState, error: VisavisError | null): void {
    if (state === this.#state && error === null) return;
    this.#state = state;
    if (state === "off") this.#muted = false;
    this.#emitter.emit("MICROPHONE_STATE", { state, muted: this.#muted, error });
  }

  #settle(error: VisavisError | null): void {
    const start = this.#start;
    this.#start = null;
    if (error) start?.reject(error);
    else start?.resolve();
  }
}
