// The control socket: one explicit state machine that dials, keeps alive, renews the credential and dials again.

import type { ClientMessage, ServerEvent } from "../../contract/control-socket.ts";
import { backoffMs } from "./backoff.ts";
import { asVisavisError, clientError, VisavisError } from "./errors.ts";
import type { Http } from "./http.ts";
import { Renewal } from "./renewal.ts";
import { parseEvent } from "./wire.ts";

/** Where the control socket lives; equal to the contract's `controlSocketPath`. */
export const controlPath = "/api/session/ws";

/** Close codes after which dialling again is wrong: credential revoked, session idle, session at its full length. */
export const finalCloseCodes = { credentialRevoked: 4004, idle: 4007, maxLength: 4008 } as const;

const heartbeatMs = 20_000;
const maxAttempts = 8;
/** A socket that lived this long was a good one: the next loss starts from the shortest wait again. */
const settledMs = 5000;
/** Turns typed while the socket is being dialled again; older ones are refused rather than lost in silence. */
const maxQueued = 32;
const backoff = { baseMs: 500, capMs: 8000 };

export type ControlState = "idle" | "dialling" | "open" | "waiting" | "ended";

/** Why the socket will not come back. */
export type ControlEnd = "credential" | "idle" | "max_length" | "refused" | "lost";

export interface ControlSocketOptions {
  http: Http;
  maxSessionLengthSeconds?: number;
  onEvent(event: ServerEvent): void;
  onState(state: ControlState): void;
  /** Fired once, unless `close()` came first. */
  onEnded(reason: ControlEnd, error: VisavisError): void;
}

const knownTypes = new Set<string>([
  "session_ready",
  "user_message",
  "message_stream",
  "message",
  "avatar_speech_started",
  "avatar_speech_ended",
  "interrupted",
  "warning",
  "auth_required",
  "auth_state",
  "error",
  "session_expired",
  "session_end",
  "metric",
  "tool_call",
] satisfies ServerEvent["type"][]);

/** The event in a frame, or null for anything a client has to ignore. */
export function parseServerEvent(data: unknown): ServerEvent | null {
  return parseEvent(data, knownTypes);
}

export class ControlSocket {
  readonly #options: ControlSocketOptions;
  readonly #renewal: Renewal;
  #state: ControlState = "idle";
  #socket: WebSocket | null = null;
  #queue: ClientMessage[] = [];
  #attempt = 0;
  #openedAt = 0;
  #end: { reason: ControlEnd; error: VisavisError } | null = null;
  #heartbeat: ReturnType<typeof setInterval> | undefined;
  #redial: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ControlSocketOptions) {
    this.#options = options;
    this.#renewal = new Renewal({
      credentials: options.http.credentials,
      send: (token) => this.send({ type: "auth", token }),
    });
  }

  get state(): ControlState {
    return this.#state;
  }

  /** Dials, and keeps dialling until `suspend()`, `close()` or an end. */
  open(): void {
    if (this.#state !== "idle") return;
    void this.#dial(false);
  }

  /** Drops the socket without ending it; `open()` dials anew. Queued turns stay. */
  suspend(): void {
    if (this.#state === "ended") return;
    this.#drop();
    this.#attempt = 0;
    this.#setState("idle");
  }

  close(): void {
    if (this.#state === "ended") return;
    this.#drop();
    this.#queue = [];
    this.#setState("ended");
  }

  /** Sends now, or as soon as the socket is open again. Throws `not_connected` when it never will be. */
  send(message: ClientMessage): void {
    if (this.#state === "ended") throw clientError("not_connected", "The session is over.");
    if (this.#state === "open" && this.#socket?.readyState === 1) {
      this.#socket.send(JSON.stringify(message));
      return;
    }
    if (this.#queue.length >= maxQueued) {
      throw clientError("not_connected", "The connection is down and too much is waiting to be sent.");
    }
    this.#queue.push(message);
  }

  /** Forgets what waits to be sent. Returns whether the socket is open. */
  clearQueue(): boolean {
    this.#queue = [];
    return this.#state === "open";
  }

  async #dial(renew: boolean): Promise<void> {
    this.#setState("dialling");
    const { http, maxSessionLengthSeconds } = this.#options;
    let url: string;
    try {
      if (renew && http.credentials.renewable) await http.credentials.renew();
      const query: Record<string, string> = {};
      if (maxSessionLengthSeconds !== undefined) {
        query["max_session_length_seconds"] = String(maxSessionLengthSeconds);
      }
      url = await http.socketUrl(controlPath, query);
    } catch (thrown) {
      const error = asVisavisError(thrown);
      if (this.#state !== "dialling") return;
      if (error.status === 401) this.#finish("credential", error);
      else this.#retry(error);
      return;
    }
    // The state may have moved while the credential was fetched.
    if (this.#state !== "dialling" || this.#socket) return;
    const socket = new WebSocket(url);
    this.#socket = socket;
    socket.addEventListener("open", () => this.#onOpen(socket));
    socket.addEventListener("message", (event) => this.#onMessage(socket, event.data));
    socket.addEventListener("close", (event) => this.#onClose(socket, event.code, event.reason));
  }

  #onOpen(socket: WebSocket): void {
    if (socket !== this.#socket) return;
    this.#openedAt = performance.now();
    this.#heartbeat = setInterval(() => {
      if (socket.readyState === 1) socket.send(JSON.stringify({ type: "heartbeat" }));
    }, heartbeatMs);
    this.#setState("open");
    this.#renewal.start();
    const waiting = this.#queue;
    this.#queue = [];
    for (const message of waiting) this.send(message);
  }

  #onMessage(socket: WebSocket, data: unknown): void {
    if (socket !== this.#socket) return;
    const event = parseServerEvent(data);
    if (!event) return;
    if (event.type === "auth_required") void this.#renewal.now();
    if (event.type === "error" && event.fatal) {
      this.#end = {
        reason: "refused",
        error: new VisavisError({ code: "session_ended", message: event.error }),
      };
    }
    if (event.type === "session_expired") {
      const error = new VisavisError({ code: "session_expired", message: event.message });
      this.#end = { reason: event.reason, error };
    }
    this.#options.onEvent(event);
  }

  #onClose(socket: WebSocket, code: number, reason: string): void {
    if (socket !== this.#socket) return;
    const lived = this.#openedAt > 0 ? performance.now() - this.#openedAt : 0;
    this.#drop();
    if (lived >= settledMs) this.#attempt = 0;
    const final = (end: ControlEnd, sentence: string) =>
      this.#finish(end, this.#end?.error ?? new VisavisError({ code: end, message: reason || sentence }));
    if (code === finalCloseCodes.credentialRevoked)
      final("credential", "The credential was revoked; sign in again.");
    else if (code === finalCloseCodes.idle)
      final("idle", "Nobody said anything for a while, so the session ended.");
    else if (code === finalCloseCodes.maxLength) final("max_length", "The session reached its full length.");
    else if (this.#end) this.#finish(this.#end.reason, this.#end.error);
    else this.#retry(clientError("connection_failed", "The control connection was lost."));
  }

  #retry(error: VisavisError): void {
    if (this.#attempt >= maxAttempts) {
      this.#finish("lost", error);
      return;
    }
    const waitMs = backoffMs(this.#attempt, backoff);
    this.#attempt += 1;
    this.#setState("waiting");
    this.#redial = setTimeout(() => void this.#dial(true), waitMs);
  }

  #finish(reason: ControlEnd, error: VisavisError): void {
    this.#drop();
    this.#queue = [];
    this.#setState("ended");
    this.#options.onEnded(reason, error);
  }

  #drop(): void {
    clearInterval(this.#heartbeat);
    clearTimeout(this.#redial);
    this.#renewal.stop();
    const socket = this.#socket;
    this.#socket = null;
    this.#openedAt = 0;
    if (socket && socket.readyState < 2) socket.close(1000);
  }

  #setState(state: ControlState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.onState(state);
  }
}
