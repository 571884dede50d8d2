// A WebRTC receiver outside the browser: counts and times every RTP packet a box sends.

import { Audio, PeerConnection, RtcpReceivingSession, Video, type Track } from "node-datachannel";
import { WebSocket } from "ws";

export interface ReceivedPacket {
  /** performance.now() at arrival, milliseconds. */
  atMs: number;
  timestamp: number;
  payloadBytes: number;
  marker: boolean;
}

export interface RtcClient {
  sessionId: string;
  audio: ReceivedPacket[];
  video: ReceivedPacket[];
  /** Frees the peer connection; says nothing to the box. */
  close(): void;
}

/** Opus spends a few bytes on a silent 20 ms packet and several dozen on speech. */
export const isSpeech = (packet: ReceivedPacket): boolean => packet.payloadBytes > 24;

const rtpHeaderBytes = 12;

function readRtp(data: Buffer): ReceivedPacket | null {
  const first = data[0] ?? 0;
  const second = data[1] ?? 0;
  const isRtcp = second >= 192 && second <= 223;
  if (data.length < rtpHeaderBytes || first >> 6 !== 2 || isRtcp) return null;
  const csrcBytes = (first & 0x0f) * 4;
  const extensionAt = rtpHeaderBytes + csrcBytes;
  const extensionBytes = first & 0x10 ? 4 + data.readUInt16BE(extensionAt + 2) * 4 : 0;
  return {
    atMs: performance.now(),
    timestamp: data.readUInt32BE(4),
    payloadBytes: data.length - extensionAt - extensionBytes,
    marker: (second & 0x80) !== 0,
  };
}

function record(track: Track, into: ReceivedPacket[], keep: number): void {
  track.setMediaHandler(new RtcpReceivingSession());
  track.onMessage((data) => {
    const packet = readRtp(data);
    if (!packet) return;
    into.push(packet);
    if (into.length > keep) into.splice(0, into.length - keep);
  });
}

/**
 * Opens a session with `POST /connect` and receives its media; resolves once it is connected. Tried again where libdatachannel
 * loses a race of its own: as the offering side it fails now and then when a fast peer's first packets arrive while the
 * answer is still being applied.
 * @throws Error with the box's answer when it refuses.
 */
export async function connectRtc(url: string, options: ConnectOptions = {}): Promise<RtcClient> {
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await tryConnect(url, options);
    } catch (error) {
      if (attempt === 5 || !(error instanceof LostRace)) throw error;
    }
  }
}

class LostRace extends Error {}

interface ConnectOptions {
  body?: object;
  headers?: Record<string, string>;
  /** Packets of each kind to remember; the oldest are forgotten. */
  keep?: number;
}

async function tryConnect(url: string, options: ConnectOptions): Promise<RtcClient> {
  const peer = new PeerConnection("client", { iceServers: [] });
  const keep = options.keep ?? 5000;
  const audio: ReceivedPacket[] = [];
  const video: ReceivedPacket[] = [];
  const audioLine = new Audio("0", "RecvOnly");
  audioLine.addOpusCodec(111);
  const videoLine = new Video("1", "RecvOnly");
  videoLine.addH264Codec(102);
  // A track that nobody holds is collected, and its packets with it.
  const tracks = [peer.addTrack(audioLine), peer.addTrack(videoLine)] as const;
  record(tracks[0], audio, keep);
  record(tracks[1], video, keep);
  const connected = new Promise<void>((resolve, reject) => {
    peer.onStateChange((state) => {
      if (state === "connected") resolve();
      if (state === "failed" || state === "closed") reject(new LostRace(`The peer connection is ${state}.`));
    });
  });
  connected.catch(() => {
    // Awaited below, unless the box refuses first.
  });
  const gathered = new Promise<void>((resolve) => {
    peer.onGatheringStateChange((state) => {
      if (state === "complete") resolve();
    });
  });
  peer.setLocalDescription("offer");
  await gathered;
  const offer = peer.localDescription();
  const response = await fetch(`${url}/connect`, {
    method: "POST",
    headers: { "content-type": "application/json", ...options.headers },
    body: JSON.stringify({ sdp: offer?.sdp, type: "offer", ...options.body }),
  });
  if (!response.ok) {
    peer.close();
    throw new Error(`POST /connect answered ${response.status}: ${await response.text()}`);
  }
  const answer = (await response.json()) as { sdp: string; session_id: string };
  try {
    peer.setRemoteDescription(answer.sdp, "answer");
    await connected;
  } catch (error) {
    peer.close();
    throw new LostRace(String(error));
  }
  const close = () => {
    for (const track of tracks) track.close();
    peer.close();
  };
  return { sessionId: answer.session_id, audio, video, close };
}

export interface ControlClient {
  events: { type: string; atMs: number; [field: string]: unknown }[];
  send(message: object): void;
  /** The first event of a type from index `after` on. */
  event(type: string, after?: number): Promise<{ type: string; atMs: number; [field: string]: unknown }>;
  close(): void;
}

/** Opens the control socket and waits for session_ready. */
export async function openControl(url: string, query = ""): Promise<ControlClient> {
  const socket = new WebSocket(`${url.replace(/^http/, "ws")}/api/session/ws${query}`);
  const events: ControlClient["events"] = [];
  const watchers = new Set<() => void>();
  socket.on("message", (data) => {
    events.push({ ...JSON.parse(data.toString()), atMs: performance.now() });
    for (const watch of watchers) watch();
  });
  const closed = new Promise<never>((_, reject) => {
    socket.once("close", (code) => reject(new Error(`The control socket closed with ${code}.`)));
    socket.once("error", reject);
  });
  closed.catch(() => {
    // Heard by whoever waits for an event.
  });
  const client: ControlClient = {
    events,
    send: (message) => socket.send(JSON.stringify(message)),
    event: (type, after = 0) =>
      Promise.race([
        closed,
        new Promise<ControlClient["events"][number]>((resolve) => {
          const watch = () => {
            const found = events.slice(after).find((event) => event.type === type);
            if (!found) return;
            watchers.delete(watch);
            resolve(found);
          };
          watchers.add(watch);
          watch();
        }),
      ]),
    close: () => socket.close(),
  };
  await client.event("session_ready");
  return client;
}
