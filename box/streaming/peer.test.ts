import { readdirSync, readFileSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { loopbackClient } from "../testing/loopback-client.ts";
import { OfferError } from "./errors.ts";
import { MediaPeer } from "./peer.ts";
import type { MediaPeerOptions, PeerState } from "./peer.ts";

const open: { close(): Promise<void> }[] = [];
afterEach(async () => {
  for (const one of open.splice(0)) await one.close();
});

type ConnectOptions = Partial<MediaPeerOptions> & { editOffer?(sdp: string): string };

/** The receiver's own library has been seen to lose its ICE transport between offer and answer: that is no fault of ours. */
async function connect(options: ConnectOptions = {}, triesLeft = 2): ReturnType<typeof connectOnce> {
  try {
    return await connectOnce(options);
  } catch (error) {
    const lost = error instanceof Error && error.message.includes("without ICE transport");
    if (!lost || triesLeft === 0) throw error;
    for (const one of open.splice(0)) await one.close();
    return connect(options, triesLeft - 1);
  }
}

async function connectOnce(options: ConnectOptions) {
  const client = await loopbackClient();
  open.push(client);
  const states: PeerState[] = [];
  const offerSdp = options.editOffer?.(client.offerSdp) ?? client.offerSdp;
  const { peer, answerSdp } = await MediaPeer.answer({
    ...options,
    offerSdp,
    onState(state) {
      states.push(state);
      options.onState?.(state);
    },
  });
  open.push(peer);
  client.connection.setRemoteDescription(answerSdp, "answer");
  return { client, peer, answerSdp, states };
}

/** However slow the machine is. */
const patience = { timeout: 60_000 };
const connected = (peer: MediaPeer) =>
  vi.waitFor(() => expect(peer.state).toBe("connected"), { ...patience, interval: 5 });
const unit = (bytes: number, type = 0x65) =>
  Buffer.concat([Buffer.from([0, 0, 0, 1, type]), Buffer.alloc(bytes, 0x5a)]);

const stripCandidates = (sdp: string) => sdp.replace(/a=(candidate|end-of-candidates).*\r\n/g, "");
const hideCandidates = (sdp: string) =>
  sdp.replace(/(a=candidate:\S+ 1 UDP \d+) \S+/g, "$1 0b6a2f5e-9d0c-4a7b-8a6e-2f6b6b8f2d11.local");

async function cycle(): Promise<void> {
  const { client, peer } = await connect();
  await connected(peer);
  await peer.close();
  await client.close();
  open.length = 0;
}

const usage = () => ({
  threads: Number(/Threads:\s+(\d+)/.exec(readFileSync("/proc/self/status", "utf8"))?.[1]),
  descriptors: readdirSync("/proc/self/fd").length,
});

/** Puts fragmented units (RFC 6184, section 5.8) back together; one slice per timestamp. */
function reassemble(packets: Buffer[]): Map<number, Buffer> {
  const frames = new Map<number, Buffer>();
  for (const packet of packets.toSorted((a, b) => a.readUInt16BE(2) - b.readUInt16BE(2))) {
    const payload = packet.subarray(12 + (packet.readUInt8(0) & 0x0f) * 4);
    const timestamp = packet.readUInt32BE(4);
    const head = payload.readUInt8(0);
    if ((head & 0x1f) !== 28) frames.set(timestamp, payload);
    else {
      const fragment = payload.readUInt8(1);
      const start =
        fragment & 0x80
          ? Buffer.from([(head & 0xe0) | (fragment & 0x1f)])
          : (frames.get(timestamp) ?? Buffer.alloc(0));
      frames.set(timestamp, Buffer.concat([start, payload.subarray(2)]));
    }
  }
  return frames;
}

describe("MediaPeer", () => {
  it("carries access units and Opus packets with the timestamps it was given", async () => {
    const { client, peer } = await connect();
    await connected(peer);
    const frames = [unit(5000), unit(800, 0x41), unit(3000, 0x41)];
    frames.forEach((data, index) => {
      expect(peer.sendVideo({ data, timestamp: 0xffffff00 + index * 3600, keyframe: index === 0 })).toBe(
        true,
      );
      expect(peer.sendAudio({ data: Buffer.alloc(60, index), timestamp: 1000 + index * 960 })).toBe(true);
    });
    await expect.poll(() => client.audioPackets).toHaveLength(3);
    await vi.waitFor(() => {
      const received = reassemble(client.videoPackets);
      frames.forEach((data, index) => {
        expect(received.get((0xffffff00 + index * 3600) % 2 ** 32)?.equals(data.subarray(4))).toBe(true);
      });
    }, patience);
    expect(client.audioPackets.map((packet) => packet.readUInt32BE(4))).toEqual([1000, 1960, 2920]);
    expect(Math.max(...client.videoPackets.map((packet) => packet.length))).toBeLessThanOrEqual(1200);
    expect(peer.stats()).toMatchObject({
      state: "connected",
      videoFramesSent: 3,
      audioPacketsSent: 3,
      videoFramesDropped: 0,
    });
  });

  it("sends nothing before it is connected, and then asks for a keyframe", async () => {
    const onKeyframeRequest = vi.fn();
    const { peer } = await connect({ onKeyframeRequest });
    expect(peer.sendVideo({ data: unit(100), timestamp: 0, keyframe: true })).toBe(false);
    expect(peer.sendAudio({ data: Buffer.alloc(10), timestamp: 0 })).toBe(false);
    expect(onKeyframeRequest).not.toHaveBeenCalled();
    await connected(peer);
    expect(onKeyframeRequest).toHaveBeenCalledOnce();
    expect(peer.sendVideo({ data: unit(100, 0x41), timestamp: 0, keyframe: false })).toBe(false);
    expect(peer.sendVideo({ data: unit(100), timestamp: 0, keyframe: true })).toBe(true);
  });

  it("passes the receiver's keyframe requests and bitrate estimate on", async () => {
    const onKeyframeRequest = vi.fn();
    const onBitrateEstimate = vi.fn();
    const { client, peer } = await connect({ onKeyframeRequest, onBitrateEstimate });
    await connected(peer);
    peer.sendVideo({ data: unit(60_000), timestamp: 0, keyframe: true });
    await expect.poll(() => client.videoPackets.length).toBeGreaterThan(50);
    client.video.requestBitrate(400_000);
    await expect.poll(() => onBitrateEstimate).toHaveBeenCalledWith(400_000);
    await vi.waitFor(
      () => {
        client.video.requestKeyframe();
        expect(peer.stats().keyframeRequests).toBeGreaterThan(0);
        expect(onKeyframeRequest.mock.calls.length).toBeGreaterThan(1);
      },
      { ...patience, interval: 100 },
    );
  });

  it("connects to an offer that hides its addresses or has none", async () => {
    for (const editOffer of [hideCandidates, stripCandidates]) {
      const { peer } = await connect({ editOffer });
      await connected(peer);
    }
  });

  it("takes trickled candidates, and only for the same ICE session", async () => {
    const { client, peer } = await connect({
      editOffer: stripCandidates,
    });
    const ufrag = /a=ice-ufrag:(\S+)/.exec(client.offerSdp)?.[1];
    const candidates = client.offerSdp.match(/a=candidate.*/g)?.join("\r\n");
    peer.addCandidates(
      `a=ice-ufrag:${ufrag}\r\nm=video 9 RTP/SAVPF 0\r\na=mid:v\r\n${candidates}\r\na=end-of-candidates\r\n`,
    );
    expect(() => peer.addCandidates("a=ice-ufrag:other\r\na=ice-pwd:0123456789abcdefghijkl\r\n")).toThrow(
      OfferError,
    );
    expect(() => peer.addCandidate("candidate:nonsense")).toThrow(OfferError);
    await connected(peer);
  });

  it("rejects the data channel and marks both tracks as one stream", async () => {
    const { answerSdp } = await connect();
    expect(answerSdp).toMatch(/^m=application 0 /m);
    expect(answerSdp.match(/^a=msid:avatar /gm)).toHaveLength(2);
    expect(new Set(answerSdp.match(/cname:\S+/g)).size).toBe(1);
    expect(answerSdp).toContain(
      "a=fmtp:102 level-asymmetry-allowed=1;packetization-mode=1;profile-level-id=42e01f\r\n",
    );
  });

  it("binds within the port range it is given", async () => {
    const { answerSdp } = await connect({ portRange: { begin: 21_500, end: 21_599 } });
    const ports = [...answerSdp.matchAll(/^a=candidate:\S+ 1 UDP \d+ \S+ (\d+)/gm)].map((match) =>
      Number(match[1]),
    );
    expect(ports.length).toBeGreaterThan(0);
    for (const port of ports) expect(port).toSatisfy((value: number) => value >= 21_500 && value <= 21_599);
  });

  it("refuses broken offers without leaving anything open", async () => {
    await expect(MediaPeer.answer({ offerSdp: "v=0\r\n" })).rejects.toThrow(OfferError);
    const client = await loopbackClient();
    open.push(client);
    await expect(
      MediaPeer.answer({ offerSdp: client.offerSdp, publicAddress: "box.example" }),
    ).rejects.toThrow(TypeError);
    await expect(
      MediaPeer.answer({ offerSdp: client.offerSdp, iceServers: [{ urls: "x" }] }),
    ).rejects.toThrow(TypeError);
  });

  it("closes once and is silent thereafter", async () => {
    const { peer, states } = await connect();
    await connected(peer);
    await Promise.all([peer.close(), peer.close()]);
    await peer.close();
    expect(states).toEqual(["connected", "closed"]);
    expect(peer.sendVideo({ data: unit(10), timestamp: 0, keyframe: true })).toBe(false);
    expect(peer.sendAudio({ data: Buffer.alloc(1), timestamp: 0 })).toBe(false);
  });

  it("frees its threads and sockets, cycle after cycle", async () => {
    for (let index = 0; index < 5; index += 1) await cycle();
    const before = usage();
    for (let index = 0; index < 20; index += 1) await cycle();
    await vi.waitFor(() => {
      expect(usage().threads).toBeLessThanOrEqual(before.threads);
      expect(usage().descriptors).toBeLessThanOrEqual(before.descriptors);
      // libdatachannel ends its threads in its own time.
    }, patience);
  });
});
