// The few RTCP packets that the relay reads and writes (RFC 3550, RFC 4585, draft-alvestrand-rmcat-remb).

export const payloadType = (packet: Buffer): number => packet.readUInt8(1);

/** RFC 5761: RTP payload types never take these values. */
export const isRtcp = (packet: Buffer): boolean =>
  packet.length >= 8 && payloadType(packet) >= 192 && payloadType(packet) <= 223;

export const kinds = { senderReport: 200, receiverReport: 201, transportFeedback: 205, payloadFeedback: 206 };

/** The single packets of a compound one. */
export function* packets(compound: Buffer): Generator<Buffer> {
  for (let at = 0; at + 8 <= compound.length;) {
    const length = (compound.readUInt16BE(at + 2) + 1) * 4;
    yield compound.subarray(at, at + length);
    at += length;
  }
}

/** The format of a feedback packet, or the count of report blocks. */
export const format = (packet: Buffer): number => packet.readUInt8(0) & 0x1f;

export const isKeyframeRequest = (packet: Buffer): boolean =>
  payloadType(packet) === kinds.payloadFeedback && (format(packet) === 1 || format(packet) === 4);

export const isNack = (packet: Buffer): boolean =>
  payloadType(packet) === kinds.transportFeedback && format(packet) === 1;

export function pictureLoss(mediaSsrc: number): Buffer {
  const packet = Buffer.alloc(12);
  packet.writeUInt8(0x81, 0);
  packet.writeUInt8(kinds.payloadFeedback, 1);
  packet.writeUInt16BE(2, 2);
  packet.writeUInt32BE(1, 4);
  packet.writeUInt32BE(mediaSsrc, 8);
  return packet;
}

/** A feedback packet about another source than it named. */
export function aboutSource(packet: Buffer, mediaSsrc: number): Buffer {
  const copy = Buffer.from(packet);
  copy.writeUInt32BE(mediaSsrc, 8);
  return copy;
}

/** A sender's report in another source's name; times and counts stay. */
export function reportAs(report: Buffer, ssrc: number): Buffer {
  const copy = Buffer.from(report.subarray(0, 28));
  copy.writeUInt8(0x80, 0);
  copy.writeUInt16BE(6, 2);
  copy.writeUInt32BE(ssrc, 4);
  return copy;
}

/** "Nothing was lost": answered at once, so that the delay since the sender's report is zero. */
export function receiverReport(report: Buffer, highestSequence: number): Buffer {
  const packet = Buffer.alloc(32);
  packet.writeUInt8(0x81, 0);
  packet.writeUInt8(kinds.receiverReport, 1);
  packet.writeUInt16BE(7, 2);
  packet.writeUInt32BE(1, 4);
  packet.writeUInt32BE(report.readUInt32BE(4), 8);
  packet.writeUInt32BE(highestSequence, 16);
  packet.writeUInt32BE(report.readUInt32BE(10), 24);
  return packet;
}

/** What a sender may send: the receiver's estimate, in bits per second. */
export function bitrateEstimate(mediaSsrc: number, bps: number): Buffer {
  const packet = Buffer.alloc(24);
  packet.writeUInt8(0x8f, 0);
  packet.writeUInt8(kinds.payloadFeedback, 1);
  packet.writeUInt16BE(5, 2);
  packet.writeUInt32BE(1, 4);
  packet.write("REMB", 12, "latin1");
  const exponent = Math.max(0, Math.ceil(Math.log2(bps / 0x3ffff)));
  const mantissa = Math.floor(bps / 2 ** exponent);
  packet.writeUInt32BE(((1 << 24) | (exponent << 18) | mantissa) >>> 0, 16);
  packet.writeUInt32BE(mediaSsrc, 20);
  return packet;
}
