// One peer connection: its offer goes out at once, its answer comes back, its tracks join the client's stream.

import type { ConnectAnswer, ConnectRequest, IceServer } from "../../contract/live.ts";
import { asVisavisError, clientError } from "./errors.ts";
import type { Http } from "./http.ts";

/** A short break in connectivity mends itself; after this long a new offer is quicker. */
const disconnectedGraceMs = 3000;
/** ICE and DTLS together take well under a second where they work at all. */
const establishTimeoutMs = 12_000;

export type ConnectFields = Omit<ConnectRequest, "sdp" | "type"> & {
  /** A sound file of the caller's, spoken as soon as the session is open. */
  audio?: string;
};

export interface MediaOptions {
  http: Http;
  request: ConnectFields;
  iceServers: IceServer[];
  stream: MediaStream;
  onConnected(): void;
  /** Connectivity is gone for good; this object is of no more use. Fired at most once. */
  onLost(): void;
}

/** H.264 first, so that the browser's own preference order cannot pick a codec that the box would have to refuse. */
export function preferH264<Codec extends { mimeType: string }>(codecs: readonly Codec[]): Codec[] {
  const isH264 = (codec: Codec) => codec.mimeType.toLowerCase() === "video/h264";
  return [...codecs.filter(isH264), ...codecs.filter((codec) => !isH264(codec))];
}

/** Asks for the shortest jitter buffer; the property is younger than TypeScript's DOM library. */
function playWithoutDelay(receiver: RTCRtpReceiver): void {
  const adjustable = receiver as RTCRtpReceiver & { jitterBufferTarget?: number | null };
  if ("jitterBufferTarget" in adjustable) adjustable.jitterBufferTarget = 0;
}

/**
 * Lets the browser start what its first peer connection costs (threads, codec tables, a certificate) before anybody
 * waits for it. Harmless where WebRTC is missing.
 */
export async function warmUp(): Promise<void> {
  if (typeof RTCPeerConnection === "undefined") return;
  const pc = new RTCPeerConnection();
  try {
    for (const kind of ["video", "audio"]) pc.addTransceiver(kind, { direction: "recvonly" });
    await pc.createOffer();
  } finally {
    pc.close();
  }
}

export class Media {
  readonly #options: MediaOptions;
  readonly #pc: RTCPeerConnection;
  readonly #abort = new AbortController();
  #grace: ReturnType<typeof setTimeout> | undefined;
  #closed = false;

  constructor(options: MediaOptions) {
    if (typeof RTCPeerConnection === "undefined") {
      throw clientError("unsupported_browser", "This browser cannot receive live video (WebRTC is missing).");
    }
    this.#options = options;
    this.#pc = new RTCPeerConnection({ iceServers: options.iceServers, bundlePolicy: "max-bundle" });
  }

  /**
   * Posts the offer and applies the answer. The offer leaves without waiting for candidates: the box learns where the
   * browser is from its first connectivity check (a peer-reflexive candidate, RFC 8445 section 7.3.1.3).
   */
  async open(): Promise<ConnectAnswer> {
    const pc = this.#pc;
    const video = pc.addTransceiver("video", { direction: "recvonly" });
    const audio = pc.addTransceiver("audio", { direction: "recvonly" });
    const codecs = RTCRtpReceiver.getCapabilities?.("video")?.codecs;
    if (codecs) video.setCodecPreferences?.(preferH264(codecs));
    playWithoutDelay(video.receiver);
    playWithoutDelay(audio.receiver);
    pc.addEventListener("track", (event) => this.#adopt(event.track));
    pc.addEventListener("connectionstatechange", () => this.#onConnectionState());
    try {
      const offer = await pc.createOffer();
      if (!offer.sdp) throw clientError("unsupported_browser", "This browser made an empty offer.");
      const applied = pc.setLocalDescription(offer);
      const body: ConnectRequest = { ...this.#options.request, sdp: offer.sdp, type: "offer" };
      const path = this.#options.request.audio === undefined ? "/connect" : "/offer";
      const [answer] = await Promise.all([
        this.#options.http.json<ConnectAnswer>(path, {
          method: "POST",
          json: body,
          signal: this.#abort.signal,
        }),
        applied,
      ]);
      if (this.#closed) throw clientError("aborted", "The connection was cancelled.");
      this.#grace = setTimeout(() => this.#lose(), establishTimeoutMs);
      await pc.setRemoteDescription({ type: "answer", sdp: answer.sdp });
      return answer;
    } catch (thrown) {
      this.close();
      // What the browser throws at a description it cannot read is no network failure.
      if (thrown instanceof DOMException && thrown.name !== "AbortError" && thrown.name !== "TimeoutError") {
        throw clientError("invalid_answer", `The browser refused the answer: ${thrown.message}`, thrown);
      }
      throw asVisavisError(thrown);
    }
  }

  getStats(): Promise<RTCStatsReport> {
    return this.#pc.getStats();
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    clearTimeout(this.#grace);
    this.#abort.abort();
    for (const receiver of this.#pc.getReceivers()) this.#options.stream.removeTrack(receiver.track);
    this.#pc.close();
  }

  /** A video element follows the stream it was given, so a new connection's tracks replace the old ones in it. */
  #adopt(track: MediaStreamTrack): void {
    const { stream } = this.#options;
    for (const old of stream.getTracks()) {
      if (old.kind === track.kind && old !== track) stream.removeTrack(old);
    }
    stream.addTrack(track);
  }

  #onConnectionState(): void {
    if (this.#closed) return;
    const state = this.#pc.connectionState;
    if (state === "connected") {
      clearTimeout(this.#grace);
      this.#options.onConnected();
    } else if (state === "disconnected") {
      clearTimeout(this.#grace);
      this.#grace = setTimeout(() => this.#lose(), disconnectedGraceMs);
    } else if (state === "failed" || state === "closed") {
      this.#lose();
    }
  }

  #lose(): void {
    if (this.#closed) return;
    this.close();
    this.#options.onLost();
  }
}
