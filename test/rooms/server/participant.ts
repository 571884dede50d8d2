// One participant of a room: what it asked for, what it publishes, and what it hears of the others.

import { randomBytes } from "node:crypto";
import {
  DataPacket,
  DisconnectReason,
  JoinRequest,
  LeaveRequest_Action as LeaveAction,
  ParticipantInfo,
  ParticipantInfo_Kind as Kind,
  ParticipantInfo_State as State,
  ParticipantPermission,
  RequestResponse_Reason as Reason,
  SignalTarget,
  TrackInfo,
  TrackType,
  type AddTrackRequest,
  type SignalRequest,
} from "@livekit/protocol";
import { Peer, type ChannelLabel, type Use } from "./peer.ts";
import { Publication, Subscription } from "./relay.ts";
import { matchingCodec, withoutCandidates, type Section } from "./sdp.ts";
import type { Signal } from "./signal.ts";
import type { Claims } from "./tokens.ts";

/** What a participant needs of its room. */
export interface Surroundings {
  /** Something that the others see has changed. */
  onChange(participant: Participant): void;
  onPublished(participant: Participant, publication: Publication): void;
  onUnpublished(participant: Participant, publication: Publication): void;
  onPacket(participant: Participant, label: ChannelLabel, packet: DataPacket): void;
  /** It is gone for good. */
  onGone(participant: Participant, reason: DisconnectReason): void;
  publication(trackSid: string): Publication | undefined;
}

export const sid = (prefix: string): string => `${prefix}_${randomBytes(6).toString("hex")}`;

const kinds: Record<string, Kind> = {
  agent: Kind.AGENT,
  egress: Kind.EGRESS,
  ingress: Kind.INGRESS,
  sip: Kind.SIP,
};

export class Participant {
  readonly sid = sid("PA");
  readonly identity: string;
  readonly autoSubscribe: boolean;
  readonly info: ParticipantInfo;
  publications = new Map<string, Publication>();
  subscriptions = new Map<string, Subscription>();
  /** The sequence number of the last reliable packet that arrived; a resuming client repeats what came after it. */
  lastSequence = 0;
  #room: Surroundings;
  #signal: Signal | undefined;
  #peer: Peer;
  #requested = new Map<string, TrackInfo>();
  #sections: Section[] = [];
  #answering = Promise.resolve();
  #resumeWindowMs: number;
  #timer: NodeJS.Timeout | undefined;
  #gone = false;

  constructor(options: { claims: Claims; request: JoinRequest; room: Surroundings; resumeWindowMs: number }) {
    const { claims, request } = options;
    this.identity = claims.sub ?? "";
    this.autoSubscribe = request.connectionSettings?.autoSubscribe ?? true;
    this.#room = options.room;
    this.#resumeWindowMs = options.resumeWindowMs;
    const grants = claims.video ?? {};
    this.info = new ParticipantInfo({
      sid: this.sid,
      identity: this.identity,
      name: claims.name ?? "",
      state: State.JOINED,
      kind: kinds[claims.kind ?? ""] ?? Kind.STANDARD,
      metadata: request.metadata || (claims.metadata ?? ""),
      attributes: { ...claims.attributes, ...request.participantAttributes },
      joinedAt: BigInt(Math.floor(Date.now() / 1000)),
      joinedAtMs: BigInt(Date.now()),
      version: 1,
      clientProtocol: request.clientInfo?.clientProtocol ?? 0,
      capabilities: request.clientInfo?.capabilities ?? [],
      permission: new ParticipantPermission({
        canPublish: grants.canPublish ?? true,
        canSubscribe: grants.canSubscribe ?? true,
        canPublishData: grants.canPublishData ?? true,
        hidden: grants.hidden ?? false,
        canUpdateMetadata: grants.canUpdateOwnMetadata ?? false,
        agent: grants.agent ?? false,
      }),
    });
    this.#peer = new Peer({
      onData: (label, data) => this.#onData(label, data),
      onConnected: () => {
        this.info.state = State.ACTIVE;
        this.#changed();
      },
    });
  }

  #changed(): void {
    if (this.#gone) return;
    this.info.version += 1;
    this.info.tracks = [...this.publications.values()].map((publication) => publication.info);
    this.info.isPublisher = this.publications.size > 0;
    this.#room.onChange(this);
  }

  /** Takes a fresh socket, at join or at resume. */
  attach(signal: Signal): void {
    clearTimeout(this.#timer);
    this.#signal?.abandon();
    this.#signal = signal;
    signal.listen({
      onRequest: (request) => this.#take(request),
      onClose: () => {
        this.#signal = undefined;
        this.#timer = setTimeout(() => this.gone(DisconnectReason.SIGNAL_CLOSE), this.#resumeWindowMs);
      },
    });
  }

  /** What came with the join request itself; called once the answer to the join is out. */
  begin(request: JoinRequest): void {
    for (const track of request.addTrackRequests) this.#addTrack(track);
    if (request.publisherOffer) this.#answer(request.publisherOffer.sdp, request.publisherOffer.id);
  }

  send: Signal["send"] = (message) => this.#signal?.send(message);

  #take({ message }: SignalRequest): void {
    switch (message.case) {
      case "offer":
        this.#answer(message.value.sdp, message.value.id);
        break;
      case "addTrack":
        this.#addTrack(message.value);
        break;
      case "mute": {
        const publication = this.publications.get(message.value.sid);
        if (publication) publication.info.muted = message.value.muted;
        this.#changed();
        break;
      }
      case "subscription":
        for (const trackSid of message.value.trackSids) {
          const publication = this.#room.publication(trackSid);
          if (message.value.subscribe && publication) this.subscribe(publication);
          else this.unsubscribe(trackSid);
        }
        break;
      case "updateMetadata": {
        const { metadata, name, attributes, requestId } = message.value;
        if (metadata) this.info.metadata = metadata;
        if (name) this.info.name = name;
        Object.assign(this.info.attributes, attributes);
        this.send({ case: "requestResponse", value: { requestId, reason: Reason.OK } });
        this.#changed();
        break;
      }
      case "leave":
        this.gone(DisconnectReason.CLIENT_INITIATED);
        break;
      default:
      // Hints about layers, latency and quality: this server has one layer and no congestion. The candidates of clients are
      // not used: whoever has taken the answer finds the way here, and nobody is found before.
    }
  }

  #addTrack(request: AddTrackRequest): void {
    const info = new TrackInfo({
      sid: sid("TR"),
      type: request.type,
      name: request.name,
      muted: request.muted,
      width: request.width,
      height: request.height,
      source: request.source,
      stereo: request.stereo,
      disableDtx: request.disableDtx,
      disableRed: true,
      stream: request.stream,
      layers: request.layers,
      mimeType: request.type === TrackType.VIDEO ? "video/H264" : "audio/opus",
    });
    this.#requested.set(request.cid, info);
    this.send({ case: "trackPublished", value: { cid: request.cid, track: info } });
  }

  #answer(sdp: string, id: number): void {
    this.#answering = this.#answering
      .then(() => this.#negotiate(sdp, id))
      .catch((error: unknown) => {
        console.error(`${this.identity}: ${String(error)}`);
        this.leave(DisconnectReason.JOIN_FAILURE, LeaveAction.DISCONNECT);
      });
  }

  async #negotiate(sdp: string, id: number): Promise<void> {
    if (this.#gone) return;
    const uses = new Map<string, Use>();
    const answer = await this.#peer.answer(sdp, (section) => {
      const use = this.#useOf(section);
      uses.set(section.mid, use);
      this.#sections = [...this.#sections.filter(({ mid }) => mid !== section.mid), section];
      return use;
    });
    if (this.#gone) return;
    const midToTrackId = Object.fromEntries(
      [...uses].flatMap(([mid, use]) => (use.as === "send" ? [[mid, use.trackId]] : [])),
    );
    const { sdp: bare, candidates } = withoutCandidates(answer);
    this.send({ case: "answer", value: { type: "answer", sdp: bare, id, midToTrackId } });
    for (const candidate of candidates) {
      const candidateInit = JSON.stringify({
        candidate,
        sdpMid: this.#sections[0]?.mid ?? "0",
        sdpMLineIndex: 0,
      });
      this.send({ case: "trickle", value: { candidateInit, target: SignalTarget.PUBLISHER } });
    }
    this.#begin(uses);
    this.#askForSections();
  }

  #useOf(section: Section): Use {
    const sends = section.direction === "sendonly" || section.direction === "sendrecv";
    const [codec] = section.codecs;
    if (sends && codec) return { as: "receive", codec };
    if (section.direction !== "recvonly") return { as: "nothing" };
    const all = [...this.subscriptions.values()];
    const held = all.find(({ mid }) => mid === section.mid);
    const subscription = held ?? all.find(({ mid, kind }) => mid === undefined && kind === section.kind);
    const fit = subscription && matchingCodec(subscription.publication.codec, section.codecs);
    if (!subscription || !fit) return { as: "nothing" };
    subscription.mid = section.mid;
    const { publication, ssrc } = subscription;
    const streamId = `${publication.publisherSid}|${publication.info.sid}`;
    return { as: "send", codec: fit, ssrc, streamId, trackId: publication.info.sid };
  }

  /** Media of the sections that were just agreed on begins; that of sections no longer sent ends. */
  #begin(uses: Map<string, Use>): void {
    for (const publication of this.publications.values()) {
      if (uses.get(publication.mid)?.as !== "receive") this.#unpublish(publication);
    }
    for (const [mid, use] of uses) {
      const track = this.#peer.track(mid);
      const section = this.#sections.find((each) => each.mid === mid);
      if (!track || !section) continue;
      if (use.as === "receive") this.#publish(section, use, track);
      if (use.as === "send") this.subscriptions.get(use.trackId)?.start(track, use.codec);
    }
  }

  #publish(
    section: Section,
    use: Use & { as: "receive" },
    track: NonNullable<ReturnType<Peer["track"]>>,
  ): void {
    const known = [...this.publications.values()].some(({ mid }) => mid === section.mid);
    const info = this.#requested.get(section.trackId ?? "");
    if (known || !info || section.ssrc === undefined) return;
    this.#requested.delete(section.trackId ?? "");
    info.mid = section.mid;
    info.mimeType = `${section.kind}/${use.codec.name}`;
    const { ssrc, mid } = section;
    const publication = new Publication({ info, publisherSid: this.sid, mid, codec: use.codec, ssrc, track });
    this.publications.set(info.sid, publication);
    this.#changed();
    this.#room.onPublished(this, publication);
  }

  #unpublish(publication: Publication): void {
    this.publications.delete(publication.info.sid);
    this.#changed();
    this.#room.onUnpublished(this, publication);
  }

  subscribe(publication: Publication): void {
    if (this.#gone || this.subscriptions.has(publication.info.sid)) return;
    if (this.info.permission?.canSubscribe === false) return;
    this.subscriptions.set(publication.info.sid, new Subscription(publication));
    void this.#answering.then(() => this.#askForSections());
  }

  unsubscribe(trackSid: string): void {
    const subscription = this.subscriptions.get(trackSid);
    if (!subscription) return;
    subscription.stop();
    this.subscriptions.delete(trackSid);
    // An offer without more sections: its answer says that this one is silent now.
    this.send({ case: "mediaSectionsRequirement", value: { numAudios: 0, numVideos: 0 } });
  }

  /** Only the client can offer: it is told how many sections it lacks. */
  #askForSections(): void {
    if (this.#sections.length === 0) return;
    const waiting = [...this.subscriptions.values()].filter(({ mid, asked }) => mid === undefined && !asked);
    if (waiting.length === 0) return;
    const taken = new Set([...this.subscriptions.values()].map(({ mid }) => mid));
    const missing = (kind: "audio" | "video") => {
      const free = this.#sections.filter(
        (section) => section.kind === kind && section.direction === "recvonly" && !taken.has(section.mid),
      );
      return Math.max(0, waiting.filter((each) => each.kind === kind).length - free.length);
    };
    for (const subscription of waiting) subscription.asked = true;
    const value = { numAudios: missing("audio"), numVideos: missing("video") };
    this.send({ case: "mediaSectionsRequirement", value: value });
  }

  #onData(label: ChannelLabel, data: Buffer): void {
    if (this.#gone) return;
    const packet = DataPacket.fromBinary(data);
    if (label === "_reliable") {
      // A resuming client may repeat what already arrived.
      if (packet.sequence > 0 && packet.sequence <= this.lastSequence) return;
      this.lastSequence = packet.sequence;
    }
    packet.participantIdentity = this.identity;
    packet.participantSid = this.sid;
    this.#room.onPacket(this, label, packet);
  }

  sendPacket(label: ChannelLabel, packet: DataPacket): void {
    if (!this.#gone) this.#peer.send(label, packet.toBinary());
  }

  /** Cuts the signalling without a word; the client may resume within the server's window. */
  cutSignal(): void {
    this.#signal?.abandon();
    this.#signal = undefined;
    clearTimeout(this.#timer);
    this.#timer = setTimeout(() => this.gone(DisconnectReason.SIGNAL_CLOSE), this.#resumeWindowMs);
  }

  /** Sends the client away, or tells it to come back. */
  leave(reason: DisconnectReason, action: LeaveAction): void {
    this.send({
      case: "leave",
      value: { reason, action, canReconnect: action !== LeaveAction.DISCONNECT },
    });
    this.gone(reason);
  }

  gone(reason: DisconnectReason): void {
    if (this.#gone) return;
    this.#gone = true;
    clearTimeout(this.#timer);
    this.info.state = State.DISCONNECTED;
    this.info.disconnectReason = reason;
    this.#signal?.close();
    this.#signal = undefined;
    for (const subscription of this.subscriptions.values()) subscription.stop();
    this.subscriptions.clear();
    for (const publication of this.publications.values()) this.#room.onUnpublished(this, publication);
    this.publications.clear();
    this.#peer.close();
    this.#room.onGone(this, reason);
  }
}
