// What the browser measures of the stream, read out of `RTCStatsReport`.

export interface StreamStats {
  /** Frames decoded a second since the previous reading; null at the first. */
  fps: number | null;
  framesDecoded: number;
  framesDropped: number;
  width: number | null;
  height: number | null;
  /** Round trip of the ICE pair in use, milliseconds. */
  rttMs: number | null;
  /** Interarrival jitter of the video (RFC 3550), milliseconds. */
  jitterMs: number | null;
  /** Mean time a frame waited in the jitter buffer since the previous reading, milliseconds. */
  bufferMs: number | null;
  packetsLost: number;
  freezeCount: number;
  /** Received bits a second, both tracks; null at the first reading. */
  bitrateBps: number | null;
  /** From `connect()` to the first picture on the screen; null until then. */
  firstFrameMs: number | null;
}

/** Counters of one reading, from which the next reading makes rates. */
export interface StatsSample {
  atMs: number;
  framesDecoded: number;
  bytesReceived: number;
  bufferDelayS: number;
  bufferEmitted: number;
}

// Members beside those that TypeScript's DOM library knows; see W3C "Identifiers for WebRTC's Statistics API".
interface InboundVideo extends RTCInboundRtpStreamStats {
  freezeCount?: number;
}

export interface ReadStatsOptions {
  report: Iterable<[string, unknown]>;
  previous: StatsSample | null;
  firstFrameMs: number | null;
}

/** One reading, and the sample to hand in at the next. */
export function readStats({ report, previous, firstFrameMs }: ReadStatsOptions): {
  stats: StreamStats;
  sample: StatsSample;
} {
  let video: InboundVideo | null = null;
  let bytesReceived = 0;
  let atMs = 0;
  let rttMs: number | null = null;
  for (const [, entry] of report) {
    const row = entry as RTCStats;
    if (row.type === "inbound-rtp") {
      const inbound = row as InboundVideo;
      bytesReceived += inbound.bytesReceived ?? 0;
      if (inbound.kind === "video") video = inbound;
      atMs = Math.max(atMs, row.timestamp);
    } else if (row.type === "candidate-pair") {
      const pair = row as RTCIceCandidatePairStats;
      if (pair.nominated && pair.state === "succeeded" && pair.currentRoundTripTime !== undefined) {
        rttMs = pair.currentRoundTripTime * 1000;
      }
    }
  }
  const sample: StatsSample = {
    atMs,
    framesDecoded: video?.framesDecoded ?? 0,
    bytesReceived,
    bufferDelayS: video?.jitterBufferDelay ?? 0,
    bufferEmitted: video?.jitterBufferEmittedCount ?? 0,
  };
  // A new peer connection starts its counters again; a rate across the two would be nonsense.
  const comparable = previous !== null && sample.framesDecoded >= previous.framesDecoded;
  const seconds = comparable ? (sample.atMs - previous.atMs) / 1000 : 0;
  const emitted = comparable ? sample.bufferEmitted - previous.bufferEmitted : 0;
  const rate = (now: number, before: number) => (seconds > 0 ? (now - before) / seconds : null);
  return {
    sample,
    stats: {
      fps: previous ? rate(sample.framesDecoded, previous.framesDecoded) : null,
      framesDecoded: sample.framesDecoded,
      framesDropped: video?.framesDropped ?? 0,
      width: video?.frameWidth ?? null,
      height: video?.frameHeight ?? null,
      rttMs,
      jitterMs: video?.jitter === undefined ? null : video.jitter * 1000,
      bufferMs:
        previous && emitted > 0 ? ((sample.bufferDelayS - previous.bufferDelayS) / emitted) * 1000 : null,
      packetsLost: video?.packetsLost ?? 0,
      freezeCount: video?.freezeCount ?? 0,
      bitrateBps: previous ? rate(sample.bytesReceived * 8, previous.bytesReceived * 8) : null,
      firstFrameMs,
    },
  };
}
