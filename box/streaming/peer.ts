// Skeleton of the WebRTC peer: the exported shapes are final, the class body follows.
export type PeerState = "connecting" | "connected" | "disconnected" | "failed" | "closed";

/** As RTCIceServer in a browser; the form of `ICE_SERVERS`. */
export interface IceServerConfig {
  urls: string | string[];
  username?: string;
  credential?: string;
}

export interface MediaPeerOptions {
  offerSdp: string;
  iceServers?: IceServerConfig[];
  /** Address under which the box's UDP ports are reachable from outside (one-to-one NAT). */
  publicAddress?: string;
  portRange?: { begin: number; end: number };
  /** Longest wait for STUN and TURN candidates before the answer goes out. */
  gatheringTimeoutMs?: number;
  /** The receiver cannot decode on: the next video frame must be a keyframe. Also fired once on `connected`. */
  onKeyframeRequest?(): void;
  /** What the receiver says it can take, in bits per second; fired when it changed by 5 % or more. */
  onBitrateEstimate?(bps: number): void;
  onState?(state: PeerState): void;
}

export interface PeerStats {
  state: PeerState;
  rttMs: number | null;
  /** Fraction of video packets lost, 0..1, from the last receiver report. */
  loss: number | null;
  estimateBps: number | null;
  videoFramesSent: number;
  videoFramesDropped: number;
  audioPacketsSent: number;
  bytesSent: number;
  keyframeRequests: number;
  nacks: number;
}

export declare class MediaPeer {
  /** Rejects with OfferError (offer.ts; API maps it to 400). */
  static answer(options: MediaPeerOptions): Promise<{ peer: MediaPeer; answerSdp: string }>;
  get state(): PeerState;
  /** One Opus packet; timestamp in 48 kHz units. False when not connected. */
  sendAudio(packet: { data: Buffer; timestamp: number }): boolean;
  /** One Annex B access unit; timestamp in 90 kHz units. False when dropped. */
  sendVideo(frame: { data: Buffer; timestamp: number; keyframe: boolean }): boolean;
  /** Body of a WHEP PATCH (application/trickle-ice-sdpfrag). Throws OfferError on a malformed one. */
  addCandidates(sdpFragment: string): void;
  stats(): PeerStats;
  /** Idempotent; resolves when threads and sockets are gone. No callback but onState("closed") fires afterwards. */
  close(): Promise<void>;
}
