import { randomInt, randomUUID } from "node:crypto";
import { isIP } from "node:net";
import {
  Audio,
  H264RtpPacketizer,
  PeerConnection,
  RtcpNackResponder,
  RtcpSrReporter,
  RtpPacketizationConfig,
  RtpPacketizer,
  Video,
} from "node-datachannel";
import type { MediaHandler, RtcConfig, Track } from "node-datachannel";
import type { IceServer } from "../../contract/live.ts";
import { BitrateEstimator } from "./bitrate.ts";
import { isUsable, MAX_CANDIDATES, parseCandidate } from "./candidates.ts";
import { OfferError } from "./errors.ts";
import { toNativeIceServers } from "./ice-servers.ts";
import { completeAnswer, readOffer } from "./offer.ts";
import type { Offer } from "./offer.ts";
import { parseRtcp, roundTripMs } from "./rtcp.ts";
import type { ReportBlock, RtcpPacket } from "./rtcp.ts";
import { parseSdpFragment } from "./sdpfrag.ts";
import { VideoGate } from "./video-gate.ts";

export type PeerState = "connecting" | "connected" | "disconnected" | "failed" | "closed";

export interface MediaPeerOptions {
  offerSdp: string;
  iceServers?: readonly IceServer[];
  /** Address under which the box's UDP ports are reachable from outside (one-to-one NAT). */
  publicAddress?: string;
  /** UDP ports to bind, both ends included. */
  portRange?: { begin: number; end: number };
  /** Longest wait for STUN and TURN candidates before the answer goes out (500). Without servers nothing is waited for. */
  gatheringTimeoutMs?: number;
  /** Where the bitrate estimate starts and what bounds it, in bits per second. */
  bitrate?: { initialBps?: number; minBps?: number; maxBps?: number };
  /** The receiver cannot decode on: the next video frame must be a keyframe. Also fired at each `connected`. */
  onKeyframeRequest?(): void;
  /** What the receiver can take, in bits per second; fired when it moved by 5 % or more. */
  onBitrateEstimate?(bps: number): void;
  onState?(state: PeerState): void;
}

export interface PeerStats {
  state: PeerState;
  rttMs: number | null;
  /** Fraction of video packets lost, 0..1, from the last receiver report. */
  loss: number | null;
  /** Interarrival jitter of the video as the receiver sees it. */
  jitterMs: number | null;
  estimateBps: number;
  videoFramesSent: number;
  videoFramesDropped: number;
  audioPacketsSent: number;
  /** Media payload handed to the transport, without RTP headers and retransmissions. */
  bytesSent: number;
  /** As the receiver asked; requests close together are answered by one keyframe. */
  keyframeRequests: number;
  /** Packets the receiver asked for again. */
  nackedPackets: number;
}

const VIDEO_CLOCK_HZ = 90_000;
const AUDIO_CLOCK_HZ = 48_000;
/** RTP payload per packet: below every common path MTU with SRTP, UDP, IPv6 and a VPN around it. */
const MAX_FRAGMENT_BYTES = 1_180;
/** Packets kept for retransmission: about two seconds at 1.5 Mbit/s. */
const RETRANSMISSION_PACKETS = 512;
/** A browser repeats a picture loss indication every frame until the keyframe has crossed. */
const KEYFRAME_REQUEST_INTERVAL_MS = 250;
/** The library closes within a few milliseconds; past this the wait is given up, not the closing. */
const CLOSE_TIMEOUT_MS = 3_000;
const DEFAULT_BITRATE = { initialBps: 1_500_000, minBps: 150_000, maxBps: 4_000_000 };

interface Line {
  track: Track;
  rtp: RtpPacketizationConfig;
  ssrc: number;
}

/**
 * One WebRTC connection that sends an H.264 and an Opus track to one receiver. Both tracks carry the RTP timestamps they are
 * given and the same canonical name, so a receiver plays them in sync. Media sent before `connected` is dropped.
 */
export class MediaPeer {
  #connection: PeerConnection;
  #options: MediaPeerOptions;
  #iceUfrag: string;
  #firstMid: string;
  #candidateCount: number;
  #video: Line;
  #audio: Line;
  #estimator: BitrateEstimator;
  #gate = new VideoGate();
  #state: PeerState = "connecting";
  #closed: Promise<void> | undefined;
  #keyframeRequestedAtMs = -Infinity;
  #rttMs: number | null = null;
  #loss: number | null = null;
  #jitterMs: number | null = null;
  #counters = {
    videoFramesSent: 0,
    videoFramesDropped: 0,
    audioPacketsSent: 0,
    bytesSent: 0,
    keyframeRequests: 0,
    nackedPackets: 0,
  };
  /** The library has let go of the connection, at our wish or the receiver's. */
  #ended = Promise.withResolvers<void>();

  private constructor(options: MediaPeerOptions, offer: Offer) {
    this.#options = options;
    this.#iceUfrag = offer.iceUfrag;
    this.#firstMid = offer.sections.find((section) => section.accepted)?.mid ?? offer.video.mid;
    this.#candidateCount = offer.candidateCount;
    this.#estimator = new BitrateEstimator({ ...DEFAULT_BITRATE, ...options.bitrate });
    this.#connection = new PeerConnection("box", rtcConfig(options));
    try {
      this.#connection.onStateChange((state) => this.#onConnectionState(state));
      const cname = randomUUID();
      this.#video = this.#addVideo(offer, cname);
      this.#audio = this.#addAudio(offer, cname);
    } catch (error) {
      this.#connection.close();
      throw error;
    }
  }

  /**
   * Answers a WebRTC offer. The answer holds the gathered candidates, so no trickling towards the client is needed.
   * Rejects with OfferError when the offer cannot be served (see readOffer) and TypeError for bad `iceServers`.
   */
  static async answer(options: MediaPeerOptions): Promise<{ peer: MediaPeer; answerSdp: string }> {
    const offer = readOffer(options.offerSdp);
    if (options.publicAddress !== undefined && isIP(options.publicAddress) === 0) {
      throw new TypeError("The public address must be an IP address.");
    }
    const peer = new MediaPeer(options, offer);
    try {
      const answerSdp = await peer.#negotiate(offer);
      return { peer, answerSdp };
    } catch (error) {
      await peer.close();
      throw error;
    }
  }

  get state(): PeerState {
    return this.#state;
  }

  /** Sends one Opus packet; `timestamp` in 48 kHz units, modulo 2^32. False when nothing was sent. */
  sendAudio({ data, timestamp }: { data: Buffer; timestamp: number }): boolean {
    if (!this.#send(this.#audio, data, timestamp)) return false;
    this.#counters.audioPacketsSent += 1;
    return true;
  }

  /**
   * Sends one H.264 access unit (Annex B); `timestamp` in 90 kHz units, modulo 2^32. False when it was dropped: not
   * connected, waiting for a keyframe, or more is under way than the receiver's link drains. After a drop a keyframe is asked for.
   */
  sendVideo({ data, timestamp, keyframe }: { data: Buffer; timestamp: number; keyframe: boolean }): boolean {
    const nowMs = performance.now();
    const admitted =
      this.#state === "connected" &&
      this.#gate.admit({ bytes: data.length, keyframe, estimateBps: this.#estimator.bps, nowMs });
    const sent = admitted && this.#send(this.#video, data, timestamp);
    if (sent) {
      this.#counters.videoFramesSent += 1;
      this.#estimator.onSent(data.length, nowMs);
      return true;
    }
    this.#counters.videoFramesDropped += 1;
    if (admitted) this.#gate.onSendFailed();
    if (this.#state === "connected" && this.#gate.waitingForKeyframe) this.#requestKeyframe();
    return false;
  }

  /** Takes the body of a WHEP PATCH (`application/trickle-ice-sdpfrag`). Throws OfferError on a malformed one. */
  addCandidates(sdpFragment: string): void {
    const fragment = parseSdpFragment(sdpFragment);
    if (fragment.iceUfrag !== undefined && fragment.iceUfrag !== this.#iceUfrag) {
      throw new OfferError("ice_restart_unsupported", "ICE restarts are not supported; connect again.");
    }
    for (const { candidate } of fragment.candidates) this.addCandidate(candidate);
  }

  /** Adds one trickled candidate; unusable ones (mDNS names, TCP, other components) are passed over. Throws OfferError. */
  addCandidate(candidate: string): void {
    const value = candidate.replace(/^a=/, "");
    const parsed = parseCandidate(value);
    if (!parsed) throw new OfferError("candidates_malformed", "The ICE candidate is malformed.");
    if (!isUsable(parsed) || this.#closed || this.#candidateCount >= MAX_CANDIDATES) return;
    this.#candidateCount += 1;
    try {
      this.#connection.addRemoteCandidate(value, this.#firstMid);
    } catch {
      throw new OfferError("candidates_malformed", "The ICE candidate was refused.");
    }
  }

  stats(): PeerStats {
    return {
      state: this.#state,
      rttMs: this.#rttMs,
      loss: this.#loss,
      jitterMs: this.#jitterMs,
      estimateBps: this.#estimator.bps,
      ...this.#counters,
    };
  }

  /**
   * Frees sockets and timers. Idempotent; of the callbacks only onState("closed") still fires, once. A receiver notices by its
   * own checks of the path, which takes seconds: whoever ends a session says so by other means as well.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  async #close(): Promise<void> {
    const timer = setTimeout(this.#ended.resolve, CLOSE_TIMEOUT_MS);
    this.#connection.close();
    await this.#ended.promise;
    clearTimeout(timer);
    this.#setState("closed");
  }

  #addVideo(offer: Offer, cname: string): Line {
    const { mid, payloadType, fmtp } = offer.video;
    const ssrc = randomInt(1, 2 ** 32 - 1);
    const media = new Video(mid, "SendOnly");
    media.addH264Codec(payloadType, fmtp);
    media.addSSRC(ssrc, cname, "avatar", "avatar-video");
    const rtp = new RtpPacketizationConfig(ssrc, cname, payloadType, VIDEO_CLOCK_HZ);
    const packetizer = new H264RtpPacketizer("StartSequence", rtp, MAX_FRAGMENT_BYTES);
    packetizer.addToChain(new RtcpSrReporter(rtp));
    packetizer.addToChain(new RtcpNackResponder(RETRANSMISSION_PACKETS));
    return { track: this.#addTrack(media, packetizer), rtp, ssrc };
  }

  #addAudio(offer: Offer, cname: string): Line {
    const { mid, payloadType, fmtp } = offer.audio;
    const ssrc = randomInt(1, 2 ** 32 - 1);
    const media = new Audio(mid, "SendOnly");
    media.addOpusCodec(payloadType, fmtp);
    media.addSSRC(ssrc, cname, "avatar", "avatar-audio");
    const rtp = new RtpPacketizationConfig(ssrc, cname, payloadType, AUDIO_CLOCK_HZ);
    const packetizer = new RtpPacketizer(rtp);
    packetizer.addToChain(new RtcpSrReporter(rtp));
    packetizer.addToChain(new RtcpNackResponder(RETRANSMISSION_PACKETS));
    return { track: this.#addTrack(media, packetizer), rtp, ssrc };
  }

  #addTrack(media: Video | Audio, packetizer: MediaHandler): Track {
    const track = this.#connection.addTrack(media);
    track.setMediaHandler(packetizer);
    track.onMessage((data) => this.#onRtcp(data));
    // The binding frees a track only from within this callback.
    track.onClosed(() => undefined);
    return track;
  }

  async #negotiate(offer: Offer): Promise<string> {
    const connection = this.#connection;
    const gathered = new Promise<void>((resolve) => {
      connection.onGatheringStateChange((state) => {
        if (state === "complete") resolve();
      });
    });
    try {
      connection.setRemoteDescription(offer.sdp, "offer");
      connection.setLocalDescription("answer");
    } catch {
      throw new OfferError("offer_malformed", "The session description could not be understood.");
    }
    let timer: NodeJS.Timeout | undefined;
    const timeout = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, this.#options.gatheringTimeoutMs ?? 500);
    });
    if (connection.gatheringState() !== "complete") await Promise.race([gathered, timeout]);
    clearTimeout(timer);
    const description = this.#closed ? null : connection.localDescription();
    if (!description) throw new Error("The WebRTC library gave no answer.");
    const { publicAddress } = this.#options;
    return completeAnswer({
      answerSdp: description.sdp,
      offer,
      ...(publicAddress === undefined ? {} : { publicAddress }),
    });
  }

  #send(line: Line, data: Buffer, timestamp: number): boolean {
    if (this.#state !== "connected" || this.#closed) return false;
    try {
      line.rtp.timestamp = timestamp >>> 0;
      if (!line.track.isOpen() || !line.track.sendMessageBinary(data)) return false;
    } catch {
      // The transport closed on its own thread between the check and the send.
      return false;
    }
    this.#counters.bytesSent += data.length;
    return true;
  }

  #onConnectionState(state: string): void {
    if (state === "closed") {
      this.#ended.resolve();
      void this.close();
      return;
    }
    if (this.#closed) return;
    if (state === "connected") {
      this.#gate.reset();
      this.#setState("connected");
      this.#requestKeyframe();
    } else if (state === "disconnected" || state === "failed") {
      this.#setState(state);
    }
  }

  #setState(state: PeerState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#options.onState?.(state);
  }

  #onRtcp(data: Buffer): void {
    if (this.#closed) return;
    for (const packet of parseRtcp(data)) this.#onRtcpPacket(packet);
    const bps = this.#estimator.takeChange();
    if (bps !== undefined) this.#options.onBitrateEstimate?.(bps);
  }

  #onRtcpPacket(packet: RtcpPacket): void {
    const ssrc = this.#video.ssrc;
    switch (packet.type) {
      case "report":
        for (const block of packet.blocks) if (block.ssrc === ssrc) this.#onVideoReport(block);
        break;
      case "keyframe_request":
        if (packet.ssrcs.includes(ssrc)) {
          this.#counters.keyframeRequests += 1;
          this.#requestKeyframe();
        }
        break;
      case "nack":
        this.#counters.nackedPackets += packet.lost;
        break;
      case "remb":
        this.#estimator.onRemb(packet.bitrateBps, performance.now());
        break;
      case "bye":
        // The connection state says when a receiver is gone.
        break;
    }
  }

  #onVideoReport(block: ReportBlock): void {
    this.#loss = block.fractionLost;
    this.#jitterMs = (block.jitter / VIDEO_CLOCK_HZ) * 1000;
    this.#rttMs = roundTripMs(block, performance.timeOrigin + performance.now()) ?? this.#rttMs;
    this.#estimator.onReport(block, performance.now());
  }

  #requestKeyframe(): void {
    const nowMs = performance.now();
    if (nowMs - this.#keyframeRequestedAtMs < KEYFRAME_REQUEST_INTERVAL_MS) return;
    this.#keyframeRequestedAtMs = nowMs;
    this.#options.onKeyframeRequest?.();
  }
}

function rtcConfig({ iceServers, portRange }: MediaPeerOptions): RtcConfig {
  return {
    iceServers: toNativeIceServers(iceServers ?? []),
    disableAutoNegotiation: true,
    ...(portRange ? { portRangeBegin: portRange.begin, portRangeEnd: portRange.end } : {}),
  };
}
