import { describe, expect, it } from "vitest";
import { BitrateEstimator } from "./bitrate.ts";
import type { ReportBlock } from "./rtcp.ts";

const block = (fractionLost: number): ReportBlock => ({
  ssrc: 1,
  fractionLost,
  cumulativeLost: 0,
  highestSequence: 0,
  jitter: 0,
  lastSenderReport: 0,
  delaySinceLastSenderReport: 0,
});
const make = () => new BitrateEstimator({ initialBps: 1_000_000, minBps: 200_000, maxBps: 2_000_000 });

describe("BitrateEstimator", () => {
  it("falls with loss, holds in between, and grows at most once a second without", () => {
    const estimator = make();
    estimator.onReport(block(0.2), 0);
    expect(estimator.bps).toBe(900_000);
    estimator.onReport(block(0.05), 1000);
    expect(estimator.bps).toBe(900_000);
    estimator.onReport(block(0), 1500);
    estimator.onReport(block(0), 1600);
    expect(estimator.bps).toBe(945_000);
  });

  it("stays within its bounds", () => {
    const estimator = make();
    for (let second = 0; second < 100; second += 1) estimator.onReport(block(0.9), second * 1000);
    expect(estimator.bps).toBe(200_000);
    for (let second = 100; second < 300; second += 1) estimator.onReport(block(0), second * 1000);
    expect(estimator.bps).toBe(2_000_000);
  });

  it("follows REMB while sending near it, and not while the avatar is at rest", () => {
    const estimator = make();
    estimator.onSent(12_500, 500);
    estimator.onRemb(300_000, 1000);
    expect(estimator.bps).toBe(1_000_000);
    estimator.onSent(112_500, 900);
    estimator.onRemb(300_000, 1000);
    expect(estimator.bps).toBe(300_000);
    estimator.onRemb(1_500_000, 2500);
    expect(estimator.bps).toBe(1_000_000);
  });

  it("tells of changes worth telling, once", () => {
    const estimator = make();
    expect(estimator.takeChange()).toBeUndefined();
    estimator.onReport(block(0.5), 0);
    expect(estimator.takeChange()).toBe(750_000);
    expect(estimator.takeChange()).toBeUndefined();
  });
});
