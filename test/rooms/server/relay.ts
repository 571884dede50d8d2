// Media from a publisher to its subscribers: the same packets under another source and payload type. Nothing is decoded,
// buffered or sent again; what is asked of a subscription is asked of its publisher.

import { randomInt } from "node:crypto";
import type { TrackInfo } from "@livekit/protocol";
import type { Track } from "node-datachannel";
import {
  aboutSource,
  bitrateEstimate,
  isKeyframeRequest,
  isNack,
  isRtcp,
  kinds,
  packets,
  payloadType,
  pictureLoss,
  receiverReport,
  reportAs,
} from "./rtcp.ts";
import type { Codec } from "./sdp.ts";

/** More than any publisher of a test spends, so that the sender's own limits decide. */
const estimateBps = 8_000_000;

export class Publication {
  readonly info: TrackInfo;
  readonly publisherSid: string;
  readonly mid: string;
  readonly codec: Codec;
  /** Packets and payload bytes so far, headers left out; for tests that look from the server's side. */
  packets = 0;
  subscriptions = new Set<Subscription>();
  #ssrc: number;
  #track: Track;
  #highestSequence = 0;

  constructor(options: {
    info: TrackInfo;
    publisherSid: string;
    mid: string;
    codec: Codec;
    ssrc: number;
    track: Track;
  }) {
    this.info = options.info;
    this.publisherSid = options.publisherSid;
    this.mid = options.mid;
    this.codec = options.codec;
    this.#ssrc = options.ssrc;
    this.#track = options.track;
    this.#track.onMessage((packet) => (isRtcp(packet) ? this.#onRtcp(packet) : this.#onRtp(packet)));
  }

  #onRtp(packet: Buffer): void {
    if (packet.length < 12) return;
    this.packets += 1;
    this.#highestSequence = packet.readUInt16BE(2);
    for (const subscription of this.subscriptions) subscription.forward(packet);
  }

  #onRtcp(compound: Buffer): void {
    for (const packet of packets(compound)) {
      if (payloadType(packet) !== kinds.senderReport || packet.length < 28) continue;
      if (packet.readUInt32BE(4) !== this.#ssrc) continue;
      this.#send(receiverReport(packet, this.#highestSequence));
      if (this.info.mimeType.startsWith("video")) this.#send(bitrateEstimate(this.#ssrc, estimateBps));
      for (const subscription of this.subscriptions) subscription.report(packet);
    }
  }

  requestKeyframe(): void {
    this.#send(pictureLoss(this.#ssrc));
  }

  /** A subscriber's request for packets that it missed; sequence numbers are the publisher's own. */
  requestAgain(nack: Buffer): void {
    this.#send(aboutSource(nack, this.#ssrc));
  }

  #send(packet: Buffer): void {
    if (this.#track.isOpen()) this.#track.sendMessageBinary(packet);
  }
}

export class Subscription {
  readonly publication: Publication;
  readonly ssrc = randomInt(1, 2 ** 32 - 1);
  /** Once a section of the subscriber's offer carries it. */
  mid: string | undefined;
  /** Set when the client was asked for a section. */
  asked = false;
  #out: { track: Track; payloadType: number } | undefined;

  constructor(publication: Publication) {
    this.publication = publication;
  }

  get kind(): "audio" | "video" {
    return this.publication.info.mimeType.startsWith("video") ? "video" : "audio";
  }

  start(track: Track, codec: Codec): void {
    this.#out = { track, payloadType: codec.payloadType };
    track.onMessage((message) => this.#onRtcp(message));
    this.publication.subscriptions.add(this);
    if (this.kind === "video") this.publication.requestKeyframe();
  }

  forward(packet: Buffer): void {
    if (!this.#out?.track.isOpen()) return;
    const copy = Buffer.from(packet);
    copy.writeUInt8((packet.readUInt8(1) & 0x80) | this.#out.payloadType, 1);
    copy.writeUInt32BE(this.ssrc, 8);
    this.#out.track.sendMessageBinary(copy);
  }

  report(senderReport: Buffer): void {
    if (this.#out?.track.isOpen()) this.#out.track.sendMessageBinary(reportAs(senderReport, this.ssrc));
  }

  #onRtcp(compound: Buffer): void {
    if (!isRtcp(compound)) return;
    for (const packet of packets(compound)) {
      if (packet.length < 12 || packet.readUInt32BE(8) !== this.ssrc) {
        // A FIR names its source in its entries, not in the header.
        if (!(isKeyframeRequest(packet) && packet.length >= 16 && packet.readUInt32BE(12) === this.ssrc))
          continue;
      }
      if (isKeyframeRequest(packet)) this.publication.requestKeyframe();
      if (isNack(packet)) this.publication.requestAgain(packet);
    }
  }

  stop(): void {
    this.publication.subscriptions.delete(this);
    this.#out = undefined;
  }
}
