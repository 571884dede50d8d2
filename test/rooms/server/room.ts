// A room: who is in, who hears whom, and whose data goes where.

import {
  DisconnectReason,
  JoinResponse,
  LeaveRequest_Action as LeaveAction,
  ReconnectResponse,
  Room as RoomInfo,
  ServerInfo,
  type DataPacket,
  type JoinRequest,
  type ParticipantInfo,
} from "@livekit/protocol";
import { Participant, sid, type Surroundings } from "./participant.ts";
import type { ChannelLabel } from "./peer.ts";
import type { Publication } from "./relay.ts";
import type { Signal } from "./signal.ts";
import type { Claims } from "./tokens.ts";

export interface RoomOptions {
  /** How long a participant whose socket broke is waited for. */
  resumeWindowMs: number;
  pingIntervalSeconds: number;
  pingTimeoutSeconds: number;
}

const serverInfo = new ServerInfo({ version: "1.9.0", protocol: 16, region: "test", nodeId: "test" });

export class Room implements Surroundings {
  readonly info: RoomInfo;
  participants = new Map<string, Participant>();
  #options: RoomOptions;

  constructor(name: string, options: RoomOptions) {
    this.#options = options;
    const now = Date.now();
    this.info = new RoomInfo({
      sid: sid("RM"),
      name,
      creationTime: BigInt(Math.floor(now / 1000)),
      creationTimeMs: BigInt(now),
    });
  }

  join(claims: Claims, request: JoinRequest, signal: Signal): void {
    const known = this.participants.get(claims.sub ?? "");
    if (request.reconnect) {
      if (known?.sid === request.participantSid) this.#resume(known, signal);
      else refuseResume(signal);
      return;
    }
    known?.leave(DisconnectReason.DUPLICATE_IDENTITY, LeaveAction.DISCONNECT);
    const { resumeWindowMs } = this.#options;
    const participant = new Participant({ claims, request, room: this, resumeWindowMs });
    const others = [...this.participants.values()];
    participant.attach(signal);
    this.participants.set(participant.identity, participant);
    this.info.numParticipants = this.participants.size;
    const value = new JoinResponse({
      room: this.info,
      participant: participant.info,
      otherParticipants: others.filter(isVisible).map(({ info }) => info),
      serverVersion: "1.9.0",
      serverInfo,
      fastPublish: true,
      pingInterval: this.#options.pingIntervalSeconds,
      pingTimeout: this.#options.pingTimeoutSeconds,
    });
    participant.send({ case: "join", value });
    this.onChange(participant);
    if (participant.autoSubscribe) {
      for (const other of others) for (const each of other.publications.values()) participant.subscribe(each);
    }
    participant.begin(request);
  }

  #resume(participant: Participant, signal: Signal): void {
    participant.attach(signal);
    const lastMessageSeq = participant.lastSequence;
    participant.send({ case: "reconnect", value: new ReconnectResponse({ serverInfo, lastMessageSeq }) });
    this.#update(
      participant,
      [...this.participants.values()].map(({ info }) => info),
    );
  }

  #update(to: Participant, participants: ParticipantInfo[]): void {
    to.send({ case: "update", value: { participants } });
  }

  #others(participant: Participant): Participant[] {
    return [...this.participants.values()].filter((other) => other !== participant);
  }

  onChange(participant: Participant): void {
    if (!isVisible(participant)) return;
    for (const each of this.participants.values()) this.#update(each, [participant.info]);
  }

  onPublished(participant: Participant, publication: Publication): void {
    for (const other of this.#others(participant)) if (other.autoSubscribe) other.subscribe(publication);
  }

  onUnpublished(participant: Participant, publication: Publication): void {
    for (const other of this.#others(participant)) other.unsubscribe(publication.info.sid);
  }

  publication(trackSid: string): Publication | undefined {
    for (const { publications } of this.participants.values()) {
      const found = publications.get(trackSid);
      if (found) return found;
    }
    return undefined;
  }

  onPacket(participant: Participant, label: ChannelLabel, packet: DataPacket): void {
    const named = new Set(packet.destinationIdentities);
    if (packet.value.case === "user") {
      for (const identity of packet.value.value.destinationIdentities) named.add(identity);
    }
    for (const other of this.#others(participant)) {
      if (named.size === 0 || named.has(other.identity)) other.sendPacket(label, packet);
    }
  }

  onGone(participant: Participant): void {
    if (this.participants.get(participant.identity) === participant) {
      this.participants.delete(participant.identity);
    }
    this.info.numParticipants = this.participants.size;
    this.onChange(participant);
  }

  /** Everybody is sent away, for the same reason. */
  end(reason: DisconnectReason): void {
    for (const participant of this.participants.values()) participant.leave(reason, LeaveAction.DISCONNECT);
  }
}

const isVisible = ({ info }: Participant): boolean => info.permission?.hidden !== true;

function refuseResume(signal: Signal): void {
  const value = {
    reason: DisconnectReason.STATE_MISMATCH,
    action: LeaveAction.RECONNECT,
    canReconnect: true,
  };
  signal.send({ case: "leave", value: value });
  signal.close();
}
