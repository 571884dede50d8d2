// A media engine without media: the stage plays at once what it is given, and remembers everything.

import type { StageEvent, StageOptions, StageStats } from "../../native/binding/index.js";
import type { LivePeer, LiveStage, MediaEngine } from "../live/engine.ts";
import { OfferError } from "../streaming/errors.ts";
import type { MediaPeerOptions, PeerState } from "../streaming/peer.ts";

const percentiles = { p50: 1, p95: 2, p99: 3 };

interface Begun {
  number: number;
  pushedMs: number;
  started: boolean;
  over: boolean;
}

/** Plays in no time; while `held`, utterances start and do not end, as when somebody is speaking. */
export class FakeStage implements LiveStage {
  held = false;
  closed = false;
  /** Does not hear interrupts. */
  deaf = false;
  /** Takes no utterance. */
  full = false;
  interrupts = 0;
  keyframes = 0;
  bitrateBps = 0;
  /** How much of what was pushed an interrupt finds played. */
  playedShare = 0;
  /** Hears of everything that was taken. */
  onPushed: (pcm: Int16Array) => void = () => undefined;
  readonly options: StageOptions;
  readonly tones = new Map<string, string>();
  /** Tones it was told to show, in order. */
  readonly shown: string[] = [];
  readonly #utterances: Begun[] = [];

  constructor(options: StageOptions) {
    this.options = options;
    this.tones.set("neutral", options.avatarDir);
  }

  get pushedMs(): number {
    return this.#utterances.reduce((sum, { pushedMs }) => sum + pushedMs, 0);
  }

  beginUtterance(): number {
    if (this.full) throw new Error("Too many utterances are waiting.");
    const number = this.#utterances.length + 1;
    this.#utterances.push({ number, pushedMs: 0, started: false, over: false });
    return number;
  }

  pushAudio(utterance: number, pcm: Int16Array, sampleRate: number): boolean {
    const begun = this.#utterances[utterance - 1];
    if (!begun || begun.over || this.closed) return false;
    begun.pushedMs += (pcm.length / sampleRate) * 1000;
    this.onPushed(pcm);
    if (!begun.started) {
      begun.started = true;
      this.#emit({ type: "utterance_started", utterance, mediaTimeMs: 0 });
      this.#packet("audio");
      this.#packet("video");
    }
    return true;
  }

  endUtterance(utterance: number): void {
    const begun = this.#utterances[utterance - 1];
    if (begun && !this.held) this.#end(begun, begun.pushedMs, false);
  }

  interrupt(): number {
    if (!this.deaf)
      for (const begun of this.#utterances) this.#end(begun, begun.pushedMs * this.playedShare, true);
    return ++this.interrupts;
  }

  addMark(utterance: number, mark: number): boolean {
    const begun = this.#utterances[utterance - 1];
    if (!begun || begun.over || this.closed) return false;
    this.#emit({ type: "mark", utterance, mark, mediaTimeMs: 0 });
    return true;
  }

  addTone(tone: string, avatarDir: string): Promise<void> {
    this.tones.set(tone, avatarDir);
    return Promise.resolve();
  }

  setTone(tone: string): boolean {
    if (this.closed || !this.tones.has(tone)) return false;
    this.shown.push(tone);
    return true;
  }

  requestKeyframe(): void {
    this.keyframes++;
  }

  setVideoBitrate(bps: number): void {
    this.bitrateBps = bps;
  }

  stats(): StageStats {
    return {
      frames: 1,
      droppedFrames: 0,
      audioPackets: 1,
      underruns: 0,
      fps: 25,
      frameMs: percentiles,
      encodeMs: percentiles,
      bitrateBps: 1,
      encoder: "fake",
      warpDevice: "fake",
      netDevice: "fake",
      gpu: "",
      gpuBytes: 0,
      gpuOff: "no NVIDIA driver",
    };
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }

  fail(message: string): void {
    this.options.onEvent({ type: "failed", message });
  }

  leaveGpu(message: string): void {
    this.options.onEvent({ type: "left_gpu", message });
  }

  #end(begun: Begun, playedMs: number, interrupted: boolean): void {
    if (begun.over) return;
    begun.over = true;
    this.#emit({ type: "utterance_ended", utterance: begun.number, mediaTimeMs: 0, playedMs, interrupted });
  }

  /** Ends what is held. */
  finishSpeaking(): void {
    for (const begun of this.#utterances) this.#end(begun, begun.pushedMs, false);
  }

  /** As the real one: never from inside a call. */
  #emit(event: StageEvent): void {
    queueMicrotask(() => this.closed || this.options.onEvent(event));
  }

  #packet(kind: "audio" | "video"): void {
    const packet = { kind, data: Buffer.alloc(1), timestamp: 0, keyframe: true, speech: kind === "audio" };
    queueMicrotask(() => this.closed || this.options.onPackets([packet]));
  }
}

export class FakePeer implements LivePeer {
  state: PeerState = "connected";
  closed = false;
  audio = 0;
  video = 0;
  readonly candidates: string[] = [];
  readonly options: MediaPeerOptions;

  constructor(options: MediaPeerOptions) {
    this.options = options;
  }

  sendAudio(): boolean {
    this.audio++;
    return true;
  }

  sendVideo(): boolean {
    this.video++;
    return true;
  }

  addCandidates(fragment: string): void {
    if (fragment.startsWith("a=ice-ufrag:"))
      throw new OfferError("ice_restart_unsupported", "ICE restarts are not supported.");
    if (!fragment.startsWith("a="))
      throw new OfferError("candidates_malformed", "The fragment is malformed.");
    this.candidates.push(fragment);
  }

  stats(): ReturnType<LivePeer["stats"]> {
    return {
      state: this.state,
      rttMs: 5,
      loss: 0,
      jitterMs: 0,
      estimateBps: 1_000_000,
      videoFramesSent: this.video,
      videoFramesDropped: 0,
      audioPacketsSent: this.audio,
      bytesSent: 0,
      keyframeRequests: 0,
      nackedPackets: 0,
    };
  }

  become(state: PeerState): void {
    this.state = state;
    this.options.onState?.(state);
  }

  close(): Promise<void> {
    this.closed = true;
    return Promise.resolve();
  }
}

export class FakeMedia implements MediaEngine {
  readonly stages: FakeStage[] = [];
  readonly peers: FakePeer[] = [];
  /** Stages made from now on speak until they are told to finish. */
  held = false;
  /** Answers wait for this, as for candidates. */
  gathered: Promise<void> = Promise.resolve();
  /** Why no stage can be made from now on. */
  broken: Error | null = null;

  createStage(options: StageOptions): FakeStage {
    if (this.broken) throw this.broken;
    const stage = new FakeStage(options);
    stage.held = this.held;
    this.stages.push(stage);
    return stage;
  }

  sizeOf(): { width: number; height: number } {
    return { width: 64, height: 64 };
  }

  async answer(options: MediaPeerOptions): Promise<{ peer: FakePeer; answerSdp: string }> {
    if (!options.offerSdp.startsWith("v=0"))
      throw new OfferError("offer_malformed", "The offer is no session description.");
    const peer = new FakePeer(options);
    this.peers.push(peer);
    await this.gathered;
    return { peer, answerSdp: "v=0\r\na=answer\r\n" };
  }

  get stage(): FakeStage {
    const stage = this.stages.at(-1);
    if (!stage) throw new Error("No stage was made.");
    return stage;
  }

  get peer(): FakePeer {
    const peer = this.peers.at(-1);
    if (!peer) throw new Error("No peer was made.");
    return peer;
  }
}
