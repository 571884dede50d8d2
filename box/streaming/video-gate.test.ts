import { describe, expect, it } from "vitest";
import { VideoGate } from "./video-gate.ts";

const frame = { bytes: 2_000, keyframe: false, estimateBps: 400_000, nowMs: 0 };

describe("VideoGate", () => {
  it("opens with a keyframe", () => {
    const gate = new VideoGate();
    expect(gate.admit(frame)).toBe(false);
    expect(gate.admit({ ...frame, keyframe: true })).toBe(true);
    expect(gate.admit(frame)).toBe(true);
  });

  it("admits a stream at its rate without end", () => {
    const gate = new VideoGate();
    for (let index = 0; index < 1000; index += 1) {
      expect(gate.admit({ ...frame, keyframe: index === 0, nowMs: index * 40 })).toBe(true);
    }
  });

  it("drops what outruns the link, and then everything up to a keyframe that fits", () => {
    const gate = new VideoGate();
    let sent = 0;
    while (gate.admit({ ...frame, bytes: 10_000, keyframe: sent === 0 })) sent += 1;
    expect(sent).toBe(7);
    expect(gate.waitingForKeyframe).toBe(true);
    expect(gate.admit({ ...frame, nowMs: 900 })).toBe(false);
    expect(gate.admit({ ...frame, keyframe: true, nowMs: 940 })).toBe(true);
    expect(gate.admit({ ...frame, nowMs: 980 })).toBe(true);
  });

  it("lets a keyframe of any size into an empty network", () => {
    const gate = new VideoGate();
    expect(gate.admit({ ...frame, bytes: 500_000, keyframe: true })).toBe(true);
  });

  it("waits for a keyframe after a failed send and after a reset", () => {
    const gate = new VideoGate();
    gate.admit({ ...frame, keyframe: true });
    gate.onSendFailed();
    expect(gate.admit(frame)).toBe(false);
    gate.admit({ ...frame, keyframe: true });
    gate.reset();
    expect(gate.admit(frame)).toBe(false);
  });
});
