import { describe, expect, test } from "vitest";
import { MonoReader, soundFormat } from "./pcm.ts";

const bytes = (samples: number[]) => new Uint8Array(Int16Array.from(samples).buffer);

describe("a stream says what it holds", () => {
  test("in decimal strings", () => {
    expect(soundFormat({ sample_rate: "24000", num_channels: "2" })).toEqual({
      ok: true,
      format: { sampleRate: 24_000, channels: 2 },
    });
  });

  test.each([
    [{}, "sample_rate"],
    [{ sample_rate: "24000" }, "num_channels"],
    [{ num_channels: "1" }, "sample_rate"],
    [{ sample_rate: "7999", num_channels: "1" }, "sample_rate"],
    [{ sample_rate: "48001", num_channels: "1" }, "sample_rate"],
    [{ sample_rate: "24000.5", num_channels: "1" }, "sample_rate"],
    [{ sample_rate: "-24000", num_channels: "1" }, "sample_rate"],
    [{ sample_rate: "24000", num_channels: "0" }, "num_channels"],
    [{ sample_rate: "24000", num_channels: "9" }, "num_channels"],
    [{ sample_rate: "24000", num_channels: "mono" }, "num_channels"],
  ])("%j does not", (attributes, word) => {
    expect(soundFormat(attributes)).toMatchObject({ ok: false, problem: expect.stringContaining(word) });
  });
});

describe("samples", () => {
  test("come out as they went in", () => {
    expect([...new MonoReader({ channels: 1 }).read(bytes([1, -2, 32_767, -32_768]))]).toEqual([
      1, -2, 32_767, -32_768,
    ]);
  });

  test.each([1, 2, 3])("of %d channels, cut anywhere, are the same as in one piece", (channels) => {
    const all = bytes(Array.from({ length: 60 * channels }, (_, i) => ((i * 7919) % 65_536) - 32_768));
    const whole = new MonoReader({ channels }).read(all);
    expect(whole.length).toBe(60);
    for (let step = 1; step <= 13; step++) {
      const reader = new MonoReader({ channels });
      const pieces: number[] = [];
      for (let at = 0; at < all.length; at += step) pieces.push(...reader.read(all.subarray(at, at + step)));
      expect(pieces).toEqual([...whole]);
    }
  });

  test("of two channels are mixed down without wrapping around", () => {
    const mixed = new MonoReader({ channels: 2 }).read(bytes([100, 300, 32_767, 32_767, -32_768, -32_768]));
    expect([...mixed]).toEqual([200, 32_767, -32_768]);
  });

  test("keep nothing of memory that belongs to somebody else", () => {
    const reader = new MonoReader({ channels: 1 });
    const piece = new Uint8Array([1, 2, 3]);
    expect([...reader.read(piece)]).toEqual([0x0201]);
    piece.fill(255);
    expect([...reader.read(new Uint8Array([4]))]).toEqual([0x0403]);
  });
});
