import { assert, constantFrom, nat, property, uint8Array } from "fast-check";
import { describe, expect, it } from "vitest";
import { parseRtcp, roundTripMs } from "./rtcp.ts";
import type { ReportBlock } from "./rtcp.ts";

function packet(count: number, type: number, words: number[]): Buffer {
  const data = Buffer.alloc(4 + words.length * 4);
  data.writeUInt8(0x80 | count, 0);
  data.writeUInt8(type, 1);
  data.writeUInt16BE(words.length, 2);
  words.forEach((word, index) => data.writeUInt32BE(word >>> 0, 4 + index * 4));
  return data;
}

const report = packet(1, 201, [7, 0xabc, (64 << 24) | 0xfffffe, 70_000, 900, 0x11112222, 0x8000]);
const pictureLoss = packet(1, 206, [7, 0xabc]);
const remb = packet(15, 206, [7, 0, 0x52454d42, (1 << 24) | (3 << 18) | 100_000, 0xabc]);

describe("parseRtcp", () => {
  it("reads every packet of a compound", () => {
    expect(parseRtcp(Buffer.concat([report, pictureLoss, remb]))).toEqual([
      {
        type: "report",
        senderSsrc: 7,
        blocks: [
          {
            ssrc: 0xabc,
            fractionLost: 0.25,
            cumulativeLost: -2,
            highestSequence: 70_000,
            jitter: 900,
            lastSenderReport: 0x11112222,
            delaySinceLastSenderReport: 0x8000,
          },
        ],
      },
      { type: "keyframe_request", ssrcs: [0xabc] },
      { type: "remb", bitrateBps: 800_000, ssrcs: [0xabc] },
    ]);
  });

  it("finds report blocks behind the sender part of a sender report", () => {
    const words = [7, 1, 2, 3, 4, 5, 0xdef, 0, 0, 0, 0, 0];
    expect(parseRtcp(packet(1, 200, words))).toMatchObject([{ type: "report", blocks: [{ ssrc: 0xdef }] }]);
  });

  it("reads full intra requests, goodbyes and the packets a NACK names", () => {
    expect(parseRtcp(packet(4, 206, [7, 0, 0xabc, 1 << 24, 0xdef, 2 << 24]))).toEqual([
      { type: "keyframe_request", ssrcs: [0xabc, 0xdef] },
    ]);
    expect(parseRtcp(packet(2, 203, [7, 8]))).toEqual([{ type: "bye", ssrcs: [7, 8] }]);
    expect(parseRtcp(packet(1, 205, [7, 0xabc, (500 << 16) | 0b1011, 900 << 16]))).toEqual([
      { type: "nack", ssrc: 0xabc, lost: 5 },
    ]);
  });

  it("passes over types it has no use for", () => {
    const description = packet(1, 202, [7, 0]);
    const transportWide = packet(15, 205, [7, 8, 9]);
    expect(parseRtcp(Buffer.concat([description, transportWide, pictureLoss]))).toEqual([
      { type: "keyframe_request", ssrcs: [0xabc] },
    ]);
  });

  it("leaves padding out, and stops at impossible padding", () => {
    const padded = packet(1, 206, [7, 0xabc, 4]);
    padded.writeUInt8(padded.readUInt8(0) | 0x20, 0);
    expect(parseRtcp(padded)).toEqual([{ type: "keyframe_request", ssrcs: [0xabc] }]);
    padded.writeUInt8(200, padded.length - 1);
    expect(parseRtcp(padded)).toEqual([]);
  });

  it("keeps what came before a truncated packet", () => {
    for (let size = 1; size < remb.length; size += 1) {
      const cut = Buffer.concat([pictureLoss, remb.subarray(0, size)]);
      expect(parseRtcp(cut)).toEqual([{ type: "keyframe_request", ssrcs: [0xabc] }]);
    }
  });

  it("refuses packets that claim more items than they hold", () => {
    expect(parseRtcp(packet(3, 201, [7, 0xabc, 0, 0, 0, 0, 0]))).toEqual([]);
    expect(parseRtcp(packet(31, 203, [7]))).toEqual([]);
    expect(parseRtcp(packet(15, 206, [7, 0, 0x52454d42, 0xff000000]))).toEqual([]);
    expect(parseRtcp(packet(15, 206, [7, 0, 0x41414141, 0x01000001, 1]))).toEqual([]);
  });

  it("never throws on garbage", () => {
    assert(
      property(uint8Array({ maxLength: 200 }), (bytes) => {
        for (const { type } of parseRtcp(bytes)) expect(type).toBeTypeOf("string");
      }),
    );
    assert(
      property(
        uint8Array({ maxLength: 120 }),
        constantFrom(200, 201, 203, 205, 206),
        nat(31),
        (body, type, count) => {
          const data = Buffer.concat([
            packet(count, type, []),
            body,
            Buffer.alloc((4 - (body.length % 4)) % 4),
          ]);
          data.writeUInt16BE(data.length / 4 - 1, 2);
          for (const found of parseRtcp(data)) expect(found.type).toBeTypeOf("string");
        },
      ),
    );
  });
});

const compactNtp = (ms: number) => Math.round((ms / 1000 + 2_208_988_800) * 65536) % 2 ** 32;

describe("roundTripMs", () => {
  const block: ReportBlock = {
    ssrc: 1,
    fractionLost: 0,
    cumulativeLost: 0,
    highestSequence: 0,
    jitter: 0,
    lastSenderReport: 0,
    delaySinceLastSenderReport: 0,
  };
  const nowMs = 1_750_000_000_123;

  it("is unknown before a sender report came back", () => {
    expect(roundTripMs(block, nowMs)).toBeUndefined();
  });

  it("takes the receiver's holding time off", () => {
    const answered = {
      ...block,
      lastSenderReport: compactNtp(nowMs - 540),
      delaySinceLastSenderReport: 32768,
    };
    expect(roundTripMs(answered, nowMs)).toBeCloseTo(40, 0);
  });

  it("survives the wrap of the compact clock", () => {
    const wrap = (2 ** 16 * Math.ceil((nowMs / 1000 + 2_208_988_800) / 2 ** 16) - 2_208_988_800) * 1000;
    expect(roundTripMs({ ...block, lastSenderReport: compactNtp(wrap - 30) }, wrap + 20)).toBeCloseTo(50, 0);
  });

  it("is unknown where the figures contradict each other", () => {
    const future = { ...block, lastSenderReport: compactNtp(nowMs + 5000) };
    expect(roundTripMs(future, nowMs)).toBeUndefined();
  });
});
