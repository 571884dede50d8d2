import { expect, it } from "vitest";
import { microphoneLimits, microphoneSampleRate } from "../../contract/microphone-socket.ts";
import {
  FrameMaker,
  frameSamples,
  meterLevel,
  type MicrophoneFrame,
  microphoneRate,
} from "./microphone-frames.ts";

function framesOf(input: Float32Array, inputRate: number): MicrophoneFrame[] {
  const frames: MicrophoneFrame[] = [];
  const maker = new FrameMaker({ inputRate, onFrame: (frame) => frames.push(frame) });
  for (let at = 0; at < input.length; at += 128) maker.push(input.subarray(at, at + 128));
  return frames;
}

it("agrees with the contract on the rate, and stays below its limits", () => {
  expect(microphoneRate).toBe(microphoneSampleRate);
  expect(frameSamples * 2).toBeLessThanOrEqual(microphoneLimits.frameBytes);
  expect(microphoneRate / frameSamples).toBeLessThan(microphoneLimits.messagesPerSecond);
});

it("cuts a second into frames of 32 ms, each with a buffer of its own and its loudness", () => {
  const tone = Float32Array.from(
    { length: 48_000 },
    (_, i) => 0.5 * Math.sin((2 * Math.PI * 500 * i) / 48_000),
  );
  const frames = framesOf(tone, 48_000);
  expect(frames).toHaveLength(31);
  expect(new Set(frames.map(({ pcm }) => pcm)).size).toBe(31);
  for (const { pcm, rms } of frames.slice(1)) {
    expect(pcm.byteLength).toBe(1024);
    expect(rms).toBeCloseTo(0.5 / Math.SQRT2, 2);
    expect(Math.max(...new Int16Array(pcm))).toBeCloseTo(0.5 * 32_767, -3);
  }
});

it("clips what is too loud rather than wrapping it round", () => {
  const [frame] = framesOf(new Float32Array(1024).fill(1.7), 16_000);
  expect(new Set(new Int16Array(frame?.pcm ?? new ArrayBuffer(0)))).toEqual(new Set([32_767]));
});

it("meters from a quiet room to a raised voice", () => {
  expect(meterLevel(0)).toBe(0);
  expect(meterLevel(0.0005)).toBe(0);
  expect(meterLevel(0.01)).toBeCloseTo(0.417, 2);
  expect(meterLevel(0.3)).toBe(1);
});
