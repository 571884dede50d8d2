// One client's peer connection. The client offers each time (LiveKit's single connection for both ways); the server answers
// with exactly the codecs, sources and directions it was told to.

import { Audio, PeerConnection, Video, type DataChannel, type Track } from "node-datachannel";
import { readSections, withCredentialsOf, type Codec, type Section } from "./sdp.ts";

export type ChannelLabel = "_reliable" | "_lossy";

/** What becomes of one media section of an offer. */
export type Use =
  | { as: "receive"; codec: Codec }
  | { as: "send"; codec: Codec; ssrc: number; streamId: string; trackId: string }
  | { as: "nothing" };

export interface PeerEvents {
  onData(label: ChannelLabel, data: Buffer): void;
  onConnected(): void;
}

/** Bits per second an encoder begins with. Without this hint a client begins at 300 kbit/s and takes seconds to climb. */
const startBitrate = "x-google-start-bitrate=1500;x-google-max-bitrate=4000";

export class Peer {
  #connection = new PeerConnection("room", {
    iceServers: [],
    disableAutoNegotiation: true,
    maxMessageSize: 262_144,
  });
  #tracks = new Map<string, { track: Track; use: string }>();
  /** All objects ever handed out: one that is collected closes the track under the others. */
  #held: Track[] = [];
  #incoming: DataChannel[] = [];
  #outgoing = new Map<ChannelLabel, DataChannel>();
  #waiting: { label: ChannelLabel; data: Uint8Array }[] = [];
  #firstOffer: string | undefined;
  #closed = false;

  constructor(events: PeerEvents) {
    this.#connection.onStateChange((state) => {
      if (state === "connected" && !this.#closed) events.onConnected();
    });
    this.#connection.onDataChannel((channel) => {
      this.#incoming.push(channel);
      const label = channel.getLabel();
      if (label !== "_reliable" && label !== "_lossy") return;
      channel.onMessage((message) => {
        if (!this.#closed) events.onData(label, Buffer.from(message as Buffer));
      });
    });
  }

  /** @returns the answer with its candidates in it. @throws Error for an offer that cannot be read. */
  async answer(sdp: string, useOf: (section: Section) => Use): Promise<string> {
    const connection = this.#connection;
    const sections = readSections(sdp);
    const gathered = new Promise<void>((resolve) => {
      if (connection.gatheringState() === "complete") resolve();
      else connection.onGatheringStateChange((state) => state === "complete" && resolve());
    });
    // A client that resumes restarts ICE, which the library cannot. Its old path still stands (only its socket broke), so
    // it is answered with the old credentials and stays on it.
    this.#firstOffer ??= sdp;
    connection.setRemoteDescription(withCredentialsOf(this.#firstOffer, sdp), "offer");
    for (const section of sections) {
      if (section.kind !== "application") this.#take(section, useOf(section));
    }
    connection.setLocalDescription("answer");
    if (this.#outgoing.size === 0) this.#openChannels();
    await gathered;
    return connection.localDescription()?.sdp ?? "";
  }

  #take(section: Section, use: Use): void {
    // Adding a section again describes it anew, but hands out another object for its track.
    const asked = JSON.stringify(use);
    if (this.#tracks.get(section.mid)?.use === asked) return;
    const direction = use.as === "receive" ? "RecvOnly" : use.as === "send" ? "SendOnly" : "Inactive";
    const media =
      section.kind === "audio" ? new Audio(section.mid, direction) : new Video(section.mid, direction);
    const codec = use.as === "nothing" ? section.codecs[0] : use.codec;
    if (!codec) throw new Error(`Section ${section.mid} of the offer has no codec.`);
    const { payloadType, name, fmtp } = codec;
    if (media instanceof Audio) media.addAudioCodec(payloadType, name, fmtp);
    else media.addVideoCodec(payloadType, name, [fmtp, startBitrate].filter(Boolean).join(";"));
    if (use.as === "send") media.addSSRC(use.ssrc, use.streamId, use.streamId, use.trackId);
    const track = this.#connection.addTrack(media);
    this.#held.push(track);
    this.#tracks.set(section.mid, { track, use: asked });
  }

  track(mid: string): Track | undefined {
    return this.#tracks.get(mid)?.track;
  }

  #openChannels(): void {
    const labels = [
      ["_reliable", {}],
      ["_lossy", { unordered: true, maxRetransmits: 0 }],
    ] as const;
    for (const [label, config] of labels) {
      const channel = this.#connection.createDataChannel(label, config);
      channel.onOpen(() => this.#flush());
      this.#outgoing.set(label, channel);
    }
  }

  /** Sends to the client; what comes before its channel is open waits. */
  send(label: ChannelLabel, data: Uint8Array): void {
    this.#waiting.push({ label, data });
    this.#flush();
  }

  #flush(): void {
    if (this.#closed) return;
    const open = (label: ChannelLabel) => this.#outgoing.get(label)?.isOpen() === true;
    const ready = this.#waiting.filter(({ label }) => open(label));
    this.#waiting = this.#waiting.filter(({ label }) => !open(label));
    for (const { label, data } of ready) this.#outgoing.get(label)?.sendMessageBinary(data);
  }

  close(): void {
    if (this.#closed) return;
    this.#closed = true;
    this.#connection.close();
    this.#tracks.clear();
    this.#held.length = 0;
  }
}
