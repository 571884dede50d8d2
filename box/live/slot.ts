// The one live session of a box.

import type { EndReason, SessionKind } from "../../contract/live.ts";
import type { Language, Tone } from "../../contract/tones.ts";
import type { Caller } from "../access/caller.ts";
import type { AvatarEntry } from "../avatars/library.ts";
import type { BoxConfig } from "../config.ts";
import { Refusal } from "../failure.ts";
import type { VoiceWish } from "../voices/voices.ts";
import type { Metric } from "./director.ts";
import type { LivePeer, MediaEngine } from "./engine.ts";
import type { SessionFacts } from "./facts.ts";
import type { Hub } from "./hub.ts";
import type { Loops } from "./loops.ts";
import { LiveSession } from "./session.ts";
import type { NumberedLine } from "./transcript.ts";

export interface OpenRequest {
  caller: Caller;
  offerSdp: string;
  avatar: AvatarEntry;
  tones: Tone[];
  kind: SessionKind;
  voice: VoiceWish;
  facts: SessionFacts;
  /** Of the call, to begin with (en). */
  language?: Language | undefined;
  /** 0: no ceiling. */
  maxSeconds: number;
  /** Throws when the caller may no longer go live; asked last of all, as a session that is not open yet is not ended. */
  requireAllowed?(): void;
  /** The session is open: it is recorded from here on. */
  record?(session: LiveSession): LiveSession["recording"];
  /** Aborts when the caller has left without waiting for the answer: nobody is sent away for them. */
  signal: AbortSignal;
}

export interface SlotOptions {
  config: Pick<BoxConfig, "ice" | "session" | "video">;
  /** Null with the reason when the native engine could not be loaded. */
  engine: MediaEngine | null;
  hub: Hub;
  loops: Loops;
  onFirstAudio(milliseconds: number): void;
  /** The figures of every reply that is heard. */
  onMetric?: ((metric: Metric) => void) | undefined;
  onBegin(session: LiveSession): void;
  onLine(session: LiveSession, line: NumberedLine): void;
  onEnd(session: LiveSession, reason: EndReason): void;
}

export class Slot {
  readonly #options: SlotOptions;
  #current: LiveSession | null = null;
  /** Opening one session waits for the one before it. */
  #opening: Promise<unknown> = Promise.resolve();
  readonly #ending = new Set<Promise<void>>();
  #draining = false;
  #closed = false;

  constructor(options: SlotOptions) {
    this.#options = options;
  }

  get current(): LiveSession | null {
    return this.#current;
  }

  get draining(): boolean {
    return this.#draining;
  }

  /** While draining the box finishes its session and takes no other. */
  drain(draining: boolean): void {
    this.#draining = draining;
  }

  get state(): "free" | "busy" | "draining" {
    if (this.#draining) return "draining";
    return this.#current ? "busy" : "free";
  }

  /** The live session, if it is the account's own. */
  of(account: string): LiveSession | null {
    return this.#current?.account === account ? this.#current : null;
  }

  /** Throws Refusal where no session is to begin: to be asked before anybody is sent away for one. */
  requireTaking(): void {
    if (this.#closed || this.#draining)
      throw new Refusal("box_unavailable", "The box is shutting down.", { headers: { "Retry-After": "15" } });
  }

  /** Opens a session and closes the one before it. Rejects with Refusal or OfferError; then the old one stays. */
  open(request: OpenRequest): Promise<{ session: LiveSession; answerSdp: string }> {
    const opened = this.#opening.then(() => this.#open(request));
    this.#opening = opened.catch(() => undefined);
    return opened;
  }

  /** Ends the session, if there is one. */
  async end(reason: EndReason): Promise<void> {
    await this.#current?.end(reason);
  }

  /** Ends the session and takes no more. Resolves when everything is freed. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#opening;
    await this.end("box_shutdown");
    await Promise.all(this.#ending);
  }

  async #open(request: OpenRequest): Promise<{ session: LiveSession; answerSdp: string }> {
    const { config, engine, hub } = this.#options;
    if (!engine) throw new Refusal("box_unavailable", "The media engine of this box is not built.");
    this.requireTaking();

    const session = new LiveSession({
      caller: request.caller,
      avatar: { id: request.avatar.id, madeAt: request.avatar.madeAt, tones: request.tones },
      kind: request.kind,
      voice: request.voice,
      facts: request.facts,
      language: request.language,
      idleSeconds: config.session.idleSeconds,
      maxSeconds: request.maxSeconds,
      hub,
      loops: this.#options.loops,
      onFirstAudio: this.#options.onFirstAudio,
      onMetric: this.#options.onMetric,
      onLine: this.#options.onLine,
      onEnd: (ended, reason) => this.#ended(ended, reason),
    });
    let peer: LivePeer | null = null;
    try {
      const answered = await engine.answer({
        offerSdp: request.offerSdp,
        iceServers: config.ice.servers,
        ...(config.ice.publicAddress ? { publicAddress: config.ice.publicAddress } : {}),
        ...(config.ice.portRange ? { portRange: config.ice.portRange } : {}),
        bitrate: { initialBps: config.video.bitrateBps, maxBps: config.video.bitrateBps },
        onKeyframeRequest: () => session.stage?.requestKeyframe(),
        onBitrateEstimate: (bps) => session.stage?.setVideoBitrate(Math.min(bps, config.video.bitrateBps)),
        onState: (state) => session.peerState(state),
      });
      peer = answered.peer;
      if (request.signal.aborted) throw new Refusal("invalid_body", "The caller left before the answer.");
      request.requireAllowed?.();
      const stage = engine.createStage({
        avatarDir: request.avatar.dir,
        fps: config.video.fps,
        videoBitrateBps: config.video.bitrateBps,
        onPackets: (packets) => session.packets(packets),
        onEvent: (event) => session.stageEvent(event),
      });
      this.#replace(request.caller.account);
      this.#current = session;
      hub.tell(session.account, { case: "began", sessionId: session.id });
      this.#options.onBegin(session);
      session.recording = request.record?.(session) ?? null;
      // Last: a peer that has failed meanwhile ends the session here, and an end follows a beginning.
      session.attach(stage, peer);
      return { session, answerSdp: answered.answerSdp };
    } catch (error) {
      await peer?.close();
      throw error;
    }
  }

  #replace(account: string): void {
    const previous = this.#current;
    if (!previous) return;
    const error =
      previous.account === account
        ? "You went live somewhere else; this session is over."
        : "Another caller went live on this box; this session is over.";
    this.#options.hub.tell(previous.account, { case: "evicted", sessionId: previous.id, error });
    void previous.end("replaced");
  }

  #ended(session: LiveSession, reason: EndReason): void {
    if (this.#current === session) this.#current = null;
    this.#options.hub.tell(session.account, { case: "ended", sessionId: session.id });
    this.#options.onEnd(session, reason);
    const freed = session.end(reason);
    this.#ending.add(freed);
    void freed.finally(() => this.#ending.delete(freed));
  }
}
