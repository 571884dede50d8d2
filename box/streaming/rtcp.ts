/** Statistics of one stream from its receiver (RFC 3550, section 6.4.1). */
export interface ReportBlock {
  ssrc: number;
  /** 0..1, since the report before. */
  fractionLost: number;
  cumulativeLost: number;
  highestSequence: number;
  /** In RTP timestamp units. */
  jitter: number;
  /** Middle 32 bits of the NTP time of the last sender report seen; 0 when none was. */
  lastSenderReport: number;
  /** Units of 1/65536 s. */
  delaySinceLastSenderReport: number;
}

export type RtcpPacket =
  | { type: "report"; senderSsrc: number; blocks: ReportBlock[] }
  /** Picture loss (RFC 4585) or full intra request (RFC 5104), for each stream named. */
  | { type: "keyframe_request"; ssrcs: number[] }
  /** Generic NACK (RFC 4585): `lost` packets asked for again. */
  | { type: "nack"; ssrc: number; lost: number }
  /** Receiver estimated maximum bitrate (draft-alvestrand-rmcat-remb-03). */
  | { type: "remb"; bitrateBps: number; ssrcs: number[] }
  | { type: "bye"; ssrcs: number[] };

const SENDER_REPORT = 200;
const RECEIVER_REPORT = 201;
const BYE = 203;
const TRANSPORT_FEEDBACK = 205;
const PAYLOAD_FEEDBACK = 206;

/**
 * Walks a compound (or reduced-size, RFC 5506) RTCP packet. Types not listed above are passed over; the walk ends at the first
 * packet that is damaged, and what came before it counts. Never throws.
 */
export function parseRtcp(data: Uint8Array): RtcpPacket[] {
  const view = new DataView(data.buffer, data.byteOffset, data.byteLength);
  const packets: RtcpPacket[] = [];
  let offset = 0;
  while (offset + 4 <= view.byteLength) {
    const first = view.getUint8(offset);
    const length = (view.getUint16(offset + 2) + 1) * 4;
    if (first >> 6 !== 2 || offset + length > view.byteLength) break;
    let end = offset + length;
    if (first & 0x20) {
      const padding = view.getUint8(end - 1);
      if (padding === 0 || padding > length - 4) break;
      end -= padding;
    }
    const packet = parseOne(
      new DataView(view.buffer, view.byteOffset + offset, end - offset),
      view.getUint8(offset + 1),
      first & 0x1f,
    );
    if (packet) packets.push(packet);
    offset += length;
  }
  return packets;
}

function parseOne(view: DataView, type: number, count: number): RtcpPacket | undefined {
  switch (type) {
    case SENDER_REPORT:
      return parseReport(view, count, 28);
    case RECEIVER_REPORT:
      return parseReport(view, count, 8);
    case BYE:
      return view.byteLength < 4 + 4 * count ? undefined : { type: "bye", ssrcs: readSsrcs(view, 4, count) };
    case TRANSPORT_FEEDBACK:
      return count === 1 ? parseNack(view) : undefined;
    case PAYLOAD_FEEDBACK:
      if (count === 1)
        return view.byteLength < 12 ? undefined : { type: "keyframe_request", ssrcs: [view.getUint32(8)] };
      if (count === 4) return parseFullIntraRequest(view);
      return count === 15 ? parseRemb(view) : undefined;
    default:
      return undefined;
  }
}

function parseReport(view: DataView, count: number, firstBlock: number): RtcpPacket | undefined {
  if (view.byteLength < firstBlock + 24 * count) return undefined;
  const blocks = Array.from({ length: count }, (_, index): ReportBlock => {
    const at = firstBlock + 24 * index;
    const lost = view.getUint32(at + 4);
    return {
      ssrc: view.getUint32(at),
      fractionLost: (lost >>> 24) / 256,
      // 24 bits, signed: duplicates can make it negative.
      cumulativeLost: (lost << 8) >> 8,
      highestSequence: view.getUint32(at + 8),
      jitter: view.getUint32(at + 12),
      lastSenderReport: view.getUint32(at + 16),
      delaySinceLastSenderReport: view.getUint32(at + 20),
    };
  });
  return { type: "report", senderSsrc: view.getUint32(4), blocks };
}

function parseNack(view: DataView): RtcpPacket | undefined {
  if (view.byteLength < 16) return undefined;
  let lost = 0;
  for (let at = 12; at + 4 <= view.byteLength; at += 4) {
    lost += 1;
    for (let mask = view.getUint16(at + 2); mask !== 0; mask &= mask - 1) lost += 1;
  }
  return { type: "nack", ssrc: view.getUint32(8), lost };
}

function parseFullIntraRequest(view: DataView): RtcpPacket | undefined {
  const ssrcs: number[] = [];
  for (let at = 12; at + 8 <= view.byteLength; at += 8) ssrcs.push(view.getUint32(at));
  return ssrcs.length === 0 ? undefined : { type: "keyframe_request", ssrcs };
}

function parseRemb(view: DataView): RtcpPacket | undefined {
  if (view.byteLength < 20 || view.getUint32(12) !== 0x52454d42) return undefined;
  const count = view.getUint8(16);
  if (view.byteLength < 20 + 4 * count) return undefined;
  const exponent = view.getUint8(17) >> 2;
  const mantissa = view.getUint32(16) & 0x3ffff;
  return { type: "remb", bitrateBps: mantissa * 2 ** exponent, ssrcs: readSsrcs(view, 20, count) };
}

function readSsrcs(view: DataView, offset: number, count: number): number[] {
  return Array.from({ length: count }, (_, index) => view.getUint32(offset + 4 * index));
}

/** Seconds between 1900 (NTP) and 1970 (Unix). */
const NTP_EPOCH_SECONDS = 2_208_988_800;

/**
 * Round-trip time by RFC 3550, section 6.4.1, in milliseconds; undefined before the first sender report came back, or when
 * clocks moved and the figure makes no sense. `nowMs` is Unix time.
 */
export function roundTripMs(block: ReportBlock, nowMs: number): number | undefined {
  if (block.lastSenderReport === 0) return undefined;
  const now = Math.round((nowMs / 1000 + NTP_EPOCH_SECONDS) * 65536) % 2 ** 32;
  const units = (now - block.lastSenderReport - block.delaySinceLastSenderReport) | 0;
  // Coarse clocks may land a little below zero on loopback.
  if (units < -656) return undefined;
  const ms = (Math.max(0, units) / 65536) * 1000;
  return ms > 60_000 ? undefined : ms;
}
