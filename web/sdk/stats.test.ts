import { describe, expect, it } from "vitest";
import { readStats } from "./stats.ts";

function report(atMs: number, frames: number, extra: object = {}) {
  return new Map<string, unknown>([
    [
      "v",
      {
        type: "inbound-rtp",
        kind: "video",
        timestamp: atMs,
        framesDecoded: frames,
        jitter: 0.0042,
        bytesReceived: frames * 1000,
        jitterBufferDelay: frames * 0.02,
        jitterBufferEmittedCount: frames,
        frameWidth: 512,
        frameHeight: 512,
        packetsLost: 3,
        freezeCount: 1,
        framesDropped: 2,
        ...extra,
      },
    ],
    ["a", { type: "inbound-rtp", kind: "audio", timestamp: atMs, bytesReceived: frames * 100 }],
    ["old", { type: "candidate-pair", nominated: false, state: "failed", currentRoundTripTime: 9 }],
    ["pair", { type: "candidate-pair", nominated: true, state: "succeeded", currentRoundTripTime: 0.012 }],
  ]);
}

describe("readStats", () => {
  it("makes rates of two readings", () => {
    const first = readStats({ report: report(1000, 100), previous: null, firstFrameMs: 90 });
    expect(first.stats).toMatchObject({
      fps: null,
      bitrateBps: null,
      bufferMs: null,
      rttMs: 12,
      firstFrameMs: 90,
    });
    const second = readStats({ report: report(3000, 150), previous: first.sample, firstFrameMs: 90 });
    expect(second.stats.fps).toBeCloseTo(25);
    expect(second.stats.bitrateBps).toBeCloseTo((50 * 1100 * 8) / 2);
    expect(second.stats.bufferMs).toBeCloseTo(20);
    expect(second.stats.jitterMs).toBeCloseTo(4.2);
    expect(second.stats).toMatchObject({ width: 512, height: 512, packetsLost: 3, freezeCount: 1 });
  });

  it("gives no rate across a new connection, whose counters start again", () => {
    const before = readStats({ report: report(1000, 900), previous: null, firstFrameMs: null });
    const after = readStats({ report: report(2000, 5), previous: before.sample, firstFrameMs: null });
    expect(after.stats.fps).toBeNull();
  });

  it("survives a report without media", () => {
    const { stats } = readStats({ report: new Map(), previous: null, firstFrameMs: null });
    expect(stats).toMatchObject({ framesDecoded: 0, rttMs: null, jitterMs: null, width: null });
  });
});
