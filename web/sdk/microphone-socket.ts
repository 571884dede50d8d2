// The microphone socket: one explicit state machine that dials, sends sound, and dials again where that is right.

import type { MicrophoneEvent, MicrophoneMessage } from "../../contract/microphone-socket.ts";
import { backoffMs } from "./backoff.ts";
import { asVisavisError, clientError, VisavisError } from "./errors.ts";
import type { Http } from "./http.ts";
import { type AfterClose, afterClose, microphonePath, parseMicrophoneEvent } from "./microphone-protocol.ts";
import { Renewal } from "./renewal.ts";

const maxAttempts = 8;
const soon = { baseMs: 500, capMs: 8000 };
/** Another socket holds the slot, or the box could not set up: that takes longer to change. */
const later = { baseMs: 3000, capMs: 15_000 };
/** Recognition that is not attached by then will not be. */
const readyWithinMs = 20_000;
/** Two seconds of sound. What a slow line cannot carry by then is dropped, for nobody wants to be heard late. */
const maxBufferedBytes = 64_000;

/** `open` turns to `ready` once the box listens; `held` waits for the session to be live. */
export type MicrophoneSocketState = "idle" | "dialling" | "open" | "ready" | "waiting" | "held" | "ended";

export interface MicrophoneSocketOptions {
  http: Http;
  /** What the box has to know each time a socket opens. */
  greeting(): MicrophoneMessage[];
  isLive(): boolean;
  onEvent(event: MicrophoneEvent): void;
  /** `error`: why it is being dialled again, while it is. */
  onState(state: MicrophoneSocketState, error: VisavisError | null): void;
  /** Fired once, unless `close()` came first. */
  onEnded(error: VisavisError): void;
}

export class MicrophoneSocket {
  readonly #options: MicrophoneSocketOptions;
  readonly #renewal: Renewal;
  #state: MicrophoneSocketState = "idle";
  #socket: WebSocket | null = null;
  #attempt = 0;
  /** The box's own sentence about the close that follows. */
  #said: string | null = null;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: MicrophoneSocketOptions) {
    this.#options = options;
    this.#renewal = new Renewal({
      credentials: options.http.credentials,
      send: (token) => this.send({ type: "auth", token }),
    });
  }

  get state(): MicrophoneSocketState {
    return this.#state;
  }

  open(): void {
    if (this.#state === "idle") void this.#dial(false);
  }

  /** Sends one frame of sound, if the box is listening and the line keeps up. */
  sendSound(pcm: ArrayBuffer): void {
    const socket = this.#socket;
    if (this.#state !== "ready" || socket?.readyState !== 1) return;
    if (socket.bufferedAmount < maxBufferedBytes) socket.send(pcm);
  }

  /** Returns whether it was sent; what matters on the next socket is in its greeting. */
  send(message: MicrophoneMessage): boolean {
    const socket = this.#socket;
    if ((this.#state !== "open" && this.#state !== "ready") || socket?.readyState !== 1) return false;
    socket.send(JSON.stringify(message));
    return true;
  }

  /** The session is live now. */
  sessionIsLive(): void {
    if (this.#state === "held") void this.#dial(true);
  }

  close(): void {
    if (this.#state === "ended") return;
    this.#drop();
    this.#setState("ended", null);
  }

  async #dial(renew: boolean): Promise<void> {
    this.#setState("dialling", null);
    const { http } = this.#options;
    let url: string;
    try {
      if (renew && http.credentials.renewable) await http.credentials.renew();
      url = await http.socketUrl(microphonePath);
    } catch (thrown) {
      if (this.#state !== "dialling") return;
      const error = asVisavisError(thrown);
      if (error.status === 401) this.#finish(error);
      else this.#retry({ case: "again" }, error);
      return;
    }
    // The state may have moved while the credential was fetched.
    if (this.#state !== "dialling" || this.#socket) return;
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    this.#socket = socket;
    socket.addEventListener("open", () => this.#onOpen(socket));
    socket.addEventListener("message", (event) => this.#onMessage(socket, event.data));
    socket.addEventListener("close", (event) => this.#onClose(socket, event.code, event.reason));
  }

  #onOpen(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#said = null;
    this.#setState("open", null);
    this.#renewal.start();
    for (const message of this.#options.greeting()) this.send(message);
    this.#timer = setTimeout(() => {
      this.#drop();
      this.#retry({ case: "again" }, clientError("timeout", "The service did not begin to listen in time."));
    }, readyWithinMs);
  }

  #onMessage(socket: WebSocket, data: unknown): void {
    if (socket !== this.#socket) return;
    const event = parseMicrophoneEvent(data);
    if (!event) return;
    if (event.type === "auth_required") void this.#renewal.now();
    if (event.type === "error") this.#said = event.error;
    if (event.type === "ready") {
      clearTimeout(this.#timer);
      this.#attempt = 0;
      this.#setState("ready", null);
    }
    if (event.type === "session_end") {
      // Final: the box is about to close, and nobody dials again.
      this.#drop();
      this.#setState("ended", null);
    }
    this.#options.onEvent(event);
  }

  #onClose(socket: WebSocket, code: number, reason: string): void {
    if (socket !== this.#socket) return;
    const said = this.#said;
    this.#drop();
    const next = afterClose(code);
    const sentence = said ?? reason;
    if (next.case === "end") {
      this.#finish(new VisavisError({ code: next.code, message: sentence || next.sentence }));
      return;
    }
    this.#retry(
      next,
      clientError("connection_failed", sentence || "The connection of the microphone was lost."),
    );
  }

  #retry(next: AfterClose, error: VisavisError): void {
    if (this.#attempt >= maxAttempts) {
      this.#finish(error);
      return;
    }
    const { isLive } = this.#options;
    if (next.case === "once_live" && !isLive()) {
      this.#setState("held", error);
      return;
    }
    const waitMs = backoffMs(this.#attempt, next.case === "later" ? later : soon);
    this.#attempt += 1;
    this.#setState("waiting", error);
    this.#timer = setTimeout(() => {
      if (isLive()) void this.#dial(true);
      // Without a session every dial would be refused.
      else this.#setState("held", error);
    }, waitMs);
  }

  #finish(error: VisavisError): void {
    this.#drop();
    this.#setState("ended", null);
    this.#options.onEnded(error);
  }

  #drop(): void {
    clearTimeout(this.#timer);
    this.#renewal.stop();
    const socket = this.#socket;
    this.#socket = null;
    if (socket && socket.readyState < 2) socket.close(1000);
  }

  #setState(state: MicrophoneSocketState, error: VisavisError | null): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.onState(state, error);
  }
}
