// A peer connection under the test's hand.

import { vi } from "vitest";

interface FakeReceiver {
  track: { kind: string };
  jitterBufferTarget: number | null;
}

export class FakePeer extends EventTarget {
  static all: FakePeer[] = [];
  connectionState: RTCPeerConnectionState = "new";
  readonly receivers: FakeReceiver[] = [];
  readonly codecPreferences: { mimeType: string }[][] = [];
  remote: { type: string; sdp: string } | null = null;
  readonly directions: string[] = [];

  constructor() {
    super();
    FakePeer.all.push(this);
  }

  static get last(): FakePeer {
    const peer = FakePeer.all.at(-1);
    if (!peer) throw new Error("No peer connection was made.");
    return peer;
  }

  addTransceiver(kind: string, { direction }: { direction: string }) {
    const receiver: FakeReceiver = { track: { kind }, jitterBufferTarget: null };
    this.receivers.push(receiver);
    this.directions.push(`${kind} ${direction}`);
    return {
      receiver,
      setCodecPreferences: (codecs: { mimeType: string }[]) => this.codecPreferences.push(codecs),
    };
  }

  createOffer() {
    return Promise.resolve({ type: "offer", sdp: `v=0 offer ${FakePeer.all.indexOf(this) + 1}` });
  }

  setLocalDescription() {
    return Promise.resolve();
  }

  setRemoteDescription(description: { type: string; sdp: string }) {
    this.remote = description;
    return Promise.resolve();
  }

  getReceivers() {
    return this.receivers;
  }

  getStats() {
    return Promise.resolve(new Map());
  }

  close() {
    this.connectionState = "closed";
  }

  become(state: RTCPeerConnectionState): void {
    this.connectionState = state;
    this.dispatchEvent(new Event("connectionstatechange"));
  }
}

class FakeStream {
  readonly #tracks = new Set<{ kind: string }>();
  getTracks() {
    return [...this.#tracks];
  }
  addTrack(track: { kind: string }) {
    this.#tracks.add(track);
  }
  removeTrack(track: { kind: string }) {
    this.#tracks.delete(track);
  }
}

export function installFakePeer(): void {
  FakePeer.all = [];
  vi.stubGlobal("RTCPeerConnection", FakePeer);
  vi.stubGlobal("MediaStream", FakeStream);
  vi.stubGlobal("RTCRtpReceiver", {
    getCapabilities: () => ({
      codecs: [{ mimeType: "video/VP8" }, { mimeType: "video/H264" }, { mimeType: "video/AV1" }],
    }),
  });
}
