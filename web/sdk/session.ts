// One live session: media and control together, and what happens when either is lost.

import type { ClientMessage, ServerEvent } from "../../contract/control-socket.ts";
import type { ConnectAnswer, IceServer } from "../../contract/live.ts";
import { backoffMs, sleep } from "./backoff.ts";
import { ControlSocket, type ControlEnd } from "./control-socket.ts";
import { asVisavisError, VisavisError } from "./errors.ts";
import type { CloseReason, ConnectionState, Emitter } from "./events.ts";
import type { Http } from "./http.ts";
import { type ConnectFields, Media } from "./media.ts";
import { readStats, type StatsSample, type StreamStats } from "./stats.ts";

const maxMediaAttempts = 6;
/** The first wait also lets a fatal error that explains the loss arrive before a new offer goes out. */
const mediaBackoff = { baseMs: 1000, capMs: 8000 };
const statsEveryMs = 1000;

export interface SessionOptions {
  http: Http;
  emitter: Emitter;
  stream: MediaStream;
  request: ConnectFields;
  iceServers: IceServer[];
}

export class Session {
  readonly #options: SessionOptions;
  readonly #control: ControlSocket;
  readonly #ended = new AbortController();
  readonly #startedAt = performance.now();
  #media: Media | null = null;
  #answer: ConnectAnswer | null = null;
  #mediaUp = false;
  #wasUp = false;
  #state: ConnectionState = "connecting";
  #restoring = false;
  #onReady: (() => void) | null = null;
  #statsTimer: ReturnType<typeof setInterval> | undefined;
  #sample: StatsSample | null = null;
  #firstFrameMs: number | null = null;
  #lastStats: StreamStats | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.#control = new ControlSocket({
      http: options.http,
      maxSessionLengthSeconds: options.request.max_session_length_seconds,
      onEvent: (event) => this.#onEvent(event),
      onState: () => this.#report(),
      onEnded: (reason, error) => this.#onControlEnded(reason, error),
    });
  }

  get state(): ConnectionState {
    return this.#state;
  }

  get answer(): ConnectAnswer | null {
    return this.#answer;
  }

  /** Resolves when the answer is applied; media flows a moment later. */
  async start(): Promise<ConnectAnswer> {
    this.#emitState();
    try {
      const answer = await this.#openMedia();
      this.#statsTimer = setInterval(() => void this.#readStats(), statsEveryMs);
      return answer;
    } catch (thrown) {
      const error = asVisavisError(thrown);
      this.end("refused", error.message);
      throw error;
    }
  }

  send(message: ClientMessage): void {
    this.#control.send(message);
  }

  interrupt(): void {
    const open = this.#control.clearQueue();
    if (open) this.#control.send({ type: "interrupt" });
    else void this.#options.http.request("/api/interrupt", { method: "POST" }).catch(() => undefined);
  }

  /** The persona has said goodbye; told by the control socket and by the microphone's, whichever is faster. */
  personaLeft(): void {
    this.end("persona", "The persona said goodbye and ended the call.");
  }

  /** Frees everything; the first reason given is the one reported. */
  end(reason: CloseReason, message: string): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#mediaUp = false;
    this.#ended.abort();
    clearInterval(this.#statsTimer);
    this.#media?.close();
    this.#media = null;
    this.#control.close();
    this.#emitState();
    this.#options.emitter.emit("CLOSED", { reason, message });
  }

  firstFrameShown(): void {
    if (this.#firstFrameMs !== null || this.#state === "closed") return;
    this.#firstFrameMs = performance.now() - this.#startedAt;
    this.#options.emitter.emit("VIDEO_PLAY_STARTED", { firstFrameMs: this.#firstFrameMs });
  }

  lastStats(): StreamStats | null {
    return this.#lastStats && { ...this.#lastStats, firstFrameMs: this.#firstFrameMs };
  }

  async #openMedia(): Promise<ConnectAnswer> {
    // A sound file is spoken once, not after every break of the connection.
    const { audio, ...request } = this.#options.request;
    const media = new Media({
      http: this.#options.http,
      request: audio === undefined || this.#answer ? request : { ...request, audio },
      iceServers: this.#answer?.ice_servers ?? this.#options.iceServers,
      stream: this.#options.stream,
      onConnected: () => {
        this.#mediaUp = true;
        this.#report();
      },
      onLost: () => {
        this.#mediaUp = false;
        this.#report();
        void this.#restoreMedia();
      },
    });
    this.#media = media;
    const answer = await media.open();
    this.#answer = answer;
    this.#sample = null;
    // The answer comes first: a portal with several boxes knows only from then on which of them is ours.
    this.#control.open();
    return answer;
  }

  /**
   * Dials the control socket anew and waits for its `session_ready`. Media that stops may mean that the same person went
   * live in another tab; an offer then would take the box back, and the two tabs would fight for it without end.
   */
  #askWhoIsLive(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
      this.#onReady = resolve;
      this.#control.suspend();
      this.#control.open();
    });
  }

  /** Offers anew until media is back, the session is over, or there is no hope. */
  async #restoreMedia(): Promise<void> {
    if (this.#restoring || this.#state === "closed") return;
    this.#restoring = true;
    const signal = this.#ended.signal;
    let last: VisavisError | null = null;
    try {
      for (let attempt = 0; attempt < maxMediaAttempts && !signal.aborted; attempt++) {
        await sleep(backoffMs(attempt, mediaBackoff), signal);
        await this.#askWhoIsLive(signal);
        this.#control.suspend();
        try {
          await this.#openMedia();
          return;
        } catch (thrown) {
          last = asVisavisError(thrown);
          if (last.status !== null && last.status >= 400 && last.status < 500 && last.status !== 429) break;
        }
      }
      const message = last?.message ?? "The live connection was lost and could not be restored.";
      this.#fail(last?.status === 401 ? "credential" : "lost", last, message);
    } catch {
      // The session ended while waiting; `end` has said why.
    } finally {
      this.#restoring = false;
    }
  }

  #onEvent(event: ServerEvent): void {
    const { emitter } = this.#options;
    switch (event.type) {
      case "session_ready": {
        const ours = this.#answer?.session_id;
        if (event.sessionId === null && this.#mediaUp) {
          // The box has forgotten the session (it restarted): media is about to fall silent.
          this.#media?.close();
          this.#mediaUp = false;
          this.#report();
          void this.#restoreMedia();
        } else if (event.sessionId !== null && ours !== undefined && event.sessionId !== ours) {
          this.end("replaced", "The session was opened somewhere else.");
          return;
        }
        emitter.emit("SESSION_READY", event);
        this.#onReady?.();
        this.#onReady = null;
        break;
      }
      case "user_message":
        emitter.emit("USER_MESSAGE", event);
        break;
      case "message_stream":
        emitter.emit("MESSAGE_STREAM_EVENT_RECEIVED", event);
        break;
      case "message":
        emitter.emit("MESSAGE", event);
        break;
      case "avatar_speech_started":
        emitter.emit("AVATAR_SPEECH_STARTED", event);
        break;
      case "avatar_speech_ended":
        emitter.emit("AVATAR_SPEECH_ENDED", event);
        break;
      case "interrupted":
        emitter.emit("INTERRUPTED", {});
        break;
      case "warning":
        emitter.emit("WARNING", { message: event.message, code: "box" });
        break;
      case "error": {
        const error = new VisavisError({
          code: event.fatal ? "session_ended" : "turn_failed",
          message: event.error,
        });
        emitter.emit("ERROR", { error, fatal: event.fatal });
        // Media of a session that is over must not be offered anew while the close frame is under way.
        if (event.fatal) this.end("refused", event.error);
        break;
      }
      case "session_expired":
        emitter.emit("SESSION_EXPIRED", event);
        this.end(event.reason, event.message);
        break;
      case "session_end":
        this.personaLeft();
        break;
      case "metric":
        emitter.emit("METRIC", event);
        break;
      case "tool_call":
        emitter.emit("TOOL_CALL", event);
        break;
      case "auth_required":
      case "auth_state":
        break;
    }
  }

  #onControlEnded(reason: ControlEnd, error: VisavisError): void {
    this.#fail(reason, error, error.message);
  }

  #fail(reason: CloseReason, error: VisavisError | null, message: string): void {
    if (this.#state === "closed") return;
    if (reason !== "idle" && reason !== "max_length") {
      const cause = error ?? new VisavisError({ code: "connection_failed", message });
      this.#options.emitter.emit("ERROR", { error: cause, fatal: true });
    }
    this.end(reason, message);
  }

  #report(): void {
    if (this.#state === "closed") return;
    const up = this.#mediaUp && this.#control.state === "open";
    this.#wasUp ||= up;
    const next: ConnectionState = up ? "connected" : this.#wasUp ? "reconnecting" : "connecting";
    if (next === this.#state) return;
    this.#state = next;
    this.#emitState();
  }

  #emitState(): void {
    this.#options.emitter.emit("CONNECTION_STATE", {
      state: this.#state,
      media: this.#mediaUp,
      control: this.#control.state === "open",
    });
  }

  async #readStats(): Promise<void> {
    const media = this.#media;
    if (!media || !this.#mediaUp) return;
    const report = await media.getStats().catch(() => null);
    if (!report || this.#state === "closed" || media !== this.#media) return;
    const { stats, sample } = readStats({
      report: report as unknown as Iterable<[string, unknown]>,
      previous: this.#sample,
      firstFrameMs: this.#firstFrameMs,
    });
    this.#sample = sample;
    this.#lastStats = stats;
    this.#options.emitter.emit("STATS", stats);
  }
}
