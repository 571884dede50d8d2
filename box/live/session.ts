// One live session: a stage, a peer and a director, and the end of all three.

import { randomUUID } from "node:crypto";
import type { EndReason, SessionKind } from "../../contract/live.ts";
import type { Language, Tone } from "../../contract/tones.ts";
import type { MediaPacket, StageEvent } from "../../native/binding/index.js";
import type { Caller } from "../access/caller.ts";
import type { LiveRecording } from "../recordings/live-recording.ts";
import type { PeerState } from "../streaming/peer.ts";
import type { VoiceWish } from "../voices/voices.ts";
import { Call } from "./call.ts";
import { Director, type Metric } from "./director.ts";
import type { LivePeer, LiveStage } from "./engine.ts";
import { Departure } from "./departure.ts";
import { Expression } from "./expression.ts";
import type { Hub } from "./hub.ts";
import type { SessionFacts } from "./facts.ts";
import { SessionLimits } from "./limits.ts";
import type { Loops } from "./loops.ts";
import { Playback } from "./playback.ts";
import { Transcript, type NumberedLine } from "./transcript.ts";

/** A browser that has not connected by then will not. */
const connectWithinMs = 30_000;
/** A connection that broke may come back within this time. */
const reconnectWithinMs = 15_000;

/** The room that a session is in. */
export interface SessionRoom {
  name: string;
  /** Of the meeting's usage record. */
  labels: Readonly<Record<string, string>>;
}

export interface SessionOptions {
  caller: Caller;
  avatar: { id: string; madeAt: number; tones: Tone[] };
  kind: SessionKind;
  /** Null for a session with a browser. */
  room: SessionRoom | null;
  /** A connection that broke may come back within this time; default: 15 s. */
  reconnectWithinMs?: number | undefined;
  voice: VoiceWish;
  facts: SessionFacts;
  /** Of the call, to begin with (en). */
  language?: Language | undefined;
  idleSeconds: number;
  maxSeconds: number;
  hub: Hub;
  loops: Loops;
  onFirstAudio(milliseconds: number): void;
  onMetric?: ((metric: Metric) => void) | undefined;
  /** Every line of the transcript, in order. */
  onLine(session: LiveSession, line: NumberedLine): void;
  /** Once, when the session is over and before what it held is freed. */
  onEnd(session: LiveSession, reason: EndReason): void;
}

export class LiveSession {
  readonly id = randomUUID();
  readonly account: string;
  readonly avatar: { id: string; madeAt: number; tones: Tone[] };
  readonly kind: SessionKind;
  readonly room: SessionRoom | null;
  readonly voice: VoiceWish;
  readonly facts: SessionFacts;
  readonly transcript: Transcript;
  readonly call: Call;
  readonly departure = new Departure();
  /** What the avatar is saying, for ears that must not hear it. */
  readonly playback = new Playback();
  readonly startedAt = Math.floor(Date.now() / 1000);
  readonly limits: SessionLimits;
  /** Aborts when the session ends. */
  readonly signal: AbortSignal;
  turns = 0;
  /** Of what is sent and heard; null where nobody agreed to that. */
  recording: Pick<LiveRecording, "packets" | "hear" | "deafened" | "recording"> | null = null;
  /** The credential that keeps it open: its revocation ends the session. */
  digest: string;
  readonly #options: SessionOptions;
  readonly #over = new AbortController();
  #stage: LiveStage | null = null;
  #peer: LivePeer | null = null;
  #director: Director | null = null;
  #undress: () => void = () => undefined;
  #lossTimer: NodeJS.Timeout | undefined;
  #ending: Promise<void> | null = null;

  constructor(options: SessionOptions) {
    this.#options = options;
    this.account = options.caller.account;
    this.digest = options.caller.digest;
    this.avatar = options.avatar;
    this.kind = options.kind;
    this.room = options.room;
    this.voice = options.voice;
    this.facts = options.facts;
    this.transcript = new Transcript((line) => options.onLine(this, line));
    this.call = new Call({
      language: options.language ?? "en",
      onChange: (change) => options.hub.tell(this.account, { case: "call", sessionId: this.id, change }),
    });
    this.signal = this.#over.signal;
    this.limits = new SessionLimits({
      idleSeconds: options.idleSeconds,
      maxSeconds: options.maxSeconds,
      busy: () => this.#director?.speaking ?? false,
      onExpired: (reason, seconds) => {
        options.hub.tell(this.account, { case: "expired", sessionId: this.id, reason, seconds });
        void this.end(reason);
      },
    });
  }

  get director(): Director {
    if (!this.#director) throw new Error("The session has no stage yet.");
    return this.#director;
  }

  get peer(): LivePeer | null {
    return this.#peer;
  }

  get stage(): LiveStage | null {
    return this.#stage;
  }

  /** Takes over a stage and a peer that are ready to run. */
  attach(stage: LiveStage, peer: LivePeer): void {
    this.#stage = stage;
    this.#peer = peer;
    this.#director = new Director({
      stage,
      playback: this.playback,
      expression: this.#dress(stage),
      publish: (event) => this.#options.hub.publish(this.account, event),
      onActivity: () => this.limits.touch(),
      onFirstAudio: this.#options.onFirstAudio,
      onMetric: this.#options.onMetric,
    });
    this.limits.start();
    this.#watch(peer.state);
  }

  /** The tones of the avatar on the stage: those there are, and in time those that are still being made. */
  #dress(stage: LiveStage): Expression {
    const { loops } = this.#options;
    const expression = new Expression({
      stage,
      loops: () => loops.of(this.account, this.avatar),
      onFailed: (tone, error) => loops.failed(this.avatar.id, tone, error),
    });
    const unsubscribe = loops.subscribe((avatar) => {
      if (avatar === this.avatar.id) void expression.dress();
    });
    void expression.dress();
    this.#undress = () => {
      unsubscribe();
      expression.close();
    };
    return expression;
  }

  packets(packets: MediaPacket[]): void {
    const peer = this.#peer;
    if (!peer || this.#ending) return;
    this.recording?.packets(packets);
    for (const packet of packets) {
      if (packet.kind === "audio") peer.sendAudio(packet);
      else peer.sendVideo(packet);
      this.#director?.packet(packet.kind);
    }
  }

  stageEvent(event: StageEvent): void {
    this.#director?.stageEvent(event);
    if (event.type === "failed") void this.end("lost");
  }

  peerState(state: PeerState): void {
    if (this.#peer) this.#watch(state);
  }

  /** Idempotent; resolves when threads, sockets and timers are gone. */
  end(reason: EndReason): Promise<void> {
    if (this.#ending) return this.#ending;
    const ended = Promise.withResolvers<void>();
    // Set first: what ends on the way may well report that to this session.
    this.#ending = ended.promise;
    void this.#end(reason).finally(ended.resolve);
    return ended.promise;
  }

  #watch(state: PeerState): void {
    clearTimeout(this.#lossTimer);
    if (this.#ending) return;
    if (state === "failed") void this.end("lost");
    else if (state === "closed") void this.end("disconnected");
    else if (state !== "connected") {
      const backWithinMs = this.#options.reconnectWithinMs ?? reconnectWithinMs;
      const waitMs = state === "connecting" ? connectWithinMs : backWithinMs;
      this.#lossTimer = setTimeout(() => void this.end("lost"), waitMs);
    }
  }

  async #end(reason: EndReason): Promise<void> {
    clearTimeout(this.#lossTimer);
    this.limits.close();
    // Silence first: a turn that hears of the end has nothing left to stop.
    this.#director?.close();
    this.#undress();
    this.#over.abort();
    this.#options.onEnd(this, reason);
    await Promise.allSettled([this.#peer?.close(), this.#stage?.close()]);
  }
}
