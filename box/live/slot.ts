// The one live session of a box.

import type { EndReason, SessionKind } from "../../contract/live.ts";
import type { Language, Tone } from "../../contract/tones.ts";
import type { MediaPacket, StageEvent, StageStats } from "../../native/binding/index.js";
import type { Caller } from "../access/caller.ts";
import type { AvatarEntry } from "../avatars/library.ts";
import type { BoxConfig } from "../config.ts";
import { Refusal } from "../failure.ts";
import type { VoiceWish } from "../voices/voices.ts";
import type { Metric } from "./director.ts";
import type { LivePeer, LiveStage, MediaEngine } from "./engine.ts";
import type { SessionFacts } from "./facts.ts";
import type { Hub } from "./hub.ts";
import type { Loops } from "./loops.ts";
import { LiveSession, type SessionOptions, type SessionRoom } from "./session.ts";
import type { NumberedLine } from "./transcript.ts";

/** What every session begins with. */
interface Opening {
  caller: Caller;
  avatar: AvatarEntry;
  tones: Tone[];
  voice: VoiceWish;
  facts: SessionFacts;
  /** Of the call, to begin with (en). */
  language?: Language | undefined;
  /** 0: no ceiling. */
  maxSeconds: number;
  /** Throws when the caller may no longer go live; asked last of all, as a session that is not open yet is not ended. */
  requireAllowed?(): void;
  /** Aborts when the caller has left without waiting for the answer: nobody is sent away for them. */
  signal: AbortSignal;
}

export interface OpenRequest extends Opening {
  offerSdp: string;
  kind: SessionKind;
  /** The session is open: it is recorded from here on. */
  record?(session: LiveSession): LiveSession["recording"];
}

export interface RoomRequest extends Opening {
  room: SessionRoom;
  idleSeconds: number;
  /** Goes in. What the peer is sent is in the room as soon as `published` resolves. Either may reject. */
  enter(session: LiveSession): Promise<{ peer: LivePeer; published: Promise<void> }>;
}

/** Of a room, whatever the box's own sessions have: what agents' frameworks expect. */
const roomFps = 25;
/** The network may be away for so long; LiveKit's client has given up by then. */
const roomReconnectMs = 90_000;

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
  /** Its stage runs. */
  onStage?(session: LiveSession, stats: StageStats): void;
  /** Part of its work has left the GPU; it goes on. */
  onLeftGpu?(session: LiveSession, why: string): void;
  onLine(session: LiveSession, line: NumberedLine): void;
  onEnd(session: LiveSession, reason: EndReason): void;
  /** The box's life is about to end by itself. */
  nearEnd?: (() => boolean) | undefined;
}

export class Slot {
  readonly #options: SlotOptions;
  #current: LiveSession | null = null;
  /** Opening one session waits for the one before it. */
  #opening: Promise<unknown> = Promise.resolve();
  readonly #ending = new Set<Promise<void>>();
  /** Rooms that are being entered. */
  #entering = 0;
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
    if (this.#draining || this.#options.nearEnd?.()) return "draining";
    return this.#current || this.#entering > 0 ? "busy" : "free";
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
    return this.#next(() => this.#open(request));
  }

  /** Opens a session in a room. Rejects with Refusal `rtc_session_in_use` where there is a session: nobody is sent away. */
  openRoom(request: RoomRequest): Promise<LiveSession> {
    return this.#next(() => this.#openRoom(request));
  }

  /** A room is about to be entered: the box is busy until the function it returns is called, once. */
  expectRoom(): () => void {
    this.#entering++;
    return () => {
      this.#entering--;
    };
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
    const { config } = this.#options;
    const engine = this.#engine();
    this.requireTaking();

    const session = this.#session(request, {
      kind: request.kind,
      room: null,
      idleSeconds: config.session.idleSeconds,
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
        onEvent: (event) => this.#heed(session, event),
      });
      this.#replace(request.caller.account);
      this.#begin(session);
      session.recording = request.record?.(session) ?? null;
      this.#options.onStage?.(session, stage.stats());
      // Last: a peer that has failed meanwhile ends the session here, and an end follows a beginning.
      session.attach(stage, peer);
      return { session, answerSdp: answered.answerSdp };
    } catch (error) {
      await peer?.close();
      throw error;
    }
  }

  async #openRoom(request: RoomRequest): Promise<LiveSession> {
    const entered = this.expectRoom();
    try {
      return await this.#enter(request);
    } finally {
      entered();
    }
  }

  async #enter(request: RoomRequest): Promise<LiveSession> {
    const engine = this.#engine();
    this.requireTaking();
    this.#requireFree();
    const { room, idleSeconds, signal } = request;
    const session = this.#session(request, {
      kind: "room",
      room,
      idleSeconds,
      reconnectWithinMs: roomReconnectMs,
    });
    let peer: LivePeer | null = null;
    let stage: LiveStage | null = null;
    /** Before there is a session to tell. */
    const failed = new AbortController();
    try {
      const entered = await request.enter(session);
      peer = entered.peer;
      // Its failure is looked at below, however early it comes.
      entered.published.catch(() => undefined);
      signal.throwIfAborted();
      stage = engine.createStage({
        avatarDir: request.avatar.dir,
        fps: roomFps,
        output: "raw",
        onPackets: (packets) => {
          // A room takes a track for published when there is something in it, which is before the session begins.
          if (session.stage) session.packets(packets);
          else for (const packet of packets) send(entered.peer, packet);
        },
        onEvent: (event) => {
          if (event.type === "failed") failed.abort(new Error(`The stage failed: ${event.message}`));
          this.#heed(session, event);
        },
      });
      await entered.published;
      signal.throwIfAborted();
      failed.signal.throwIfAborted();
      request.requireAllowed?.();
      this.requireTaking();
      this.#begin(session);
      this.#options.onStage?.(session, stage.stats());
      session.attach(stage, peer);
      return session;
    } catch (error) {
      await Promise.all([stage?.close(), peer?.close()]);
      throw error;
    }
  }

  /** A stage that stands ready before its session does has nothing to tell it yet. */
  #heed(session: LiveSession, event: StageEvent): void {
    if (session.stage) session.stageEvent(event);
    if (event.type === "left_gpu") this.#options.onLeftGpu?.(session, event.message);
  }

  #next<Opened>(open: () => Promise<Opened>): Promise<Opened> {
    const opened = this.#opening.then(open);
    this.#opening = opened.catch(() => undefined);
    return opened;
  }

  #engine(): MediaEngine {
    const { engine } = this.#options;
    if (!engine) throw new Refusal("box_unavailable", "The media engine of this box is not built.");
    return engine;
  }

  /** Throws Refusal `rtc_session_in_use`. */
  #requireFree(): void {
    if (this.#current) throw new Refusal("rtc_session_in_use", "The box is serving a session already.");
  }

  #session(
    { caller, avatar, tones, voice, facts, language, maxSeconds }: Opening,
    own: Pick<SessionOptions, "kind" | "room" | "idleSeconds" | "reconnectWithinMs">,
  ): LiveSession {
    const { hub, loops, onFirstAudio, onMetric, onLine } = this.#options;
    return new LiveSession({
      ...own,
      caller,
      avatar: { id: avatar.id, madeAt: avatar.madeAt, tones },
      voice,
      facts,
      language,
      maxSeconds,
      hub,
      loops,
      onFirstAudio,
      onMetric,
      onLine,
      onEnd: (ended, reason) => this.#ended(ended, reason),
    });
  }

  #begin(session: LiveSession): void {
    this.#current = session;
    this.#options.hub.tell(session.account, { case: "began", sessionId: session.id });
    this.#options.onBegin(session);
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

function send(peer: LivePeer, packet: MediaPacket): void {
  if (packet.kind === "audio") peer.sendAudio(packet);
  else peer.sendVideo(packet);
}
