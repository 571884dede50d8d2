// The native engine and the WebRTC peer as the live session uses them; tests put others in their place.

import type { Stage, StageOptions } from "../../native/binding/index.js";
import type { MediaPeer, MediaPeerOptions } from "../streaming/peer.ts";

export type LiveStage = Pick<
  Stage,
  | "beginUtterance"
  | "pushAudio"
  | "endUtterance"
  | "interrupt"
  | "addMark"
  | "addTone"
  | "setTone"
  | "requestKeyframe"
  | "setVideoBitrate"
  | "stats"
  | "close"
>;

export type LivePeer = Pick<
  MediaPeer,
  "state" | "sendAudio" | "sendVideo" | "addCandidates" | "stats" | "close"
>;

export interface MediaEngine {
  createStage(options: StageOptions): LiveStage;
  /** Of an avatar's pictures. Throws when it is damaged. */
  sizeOf(avatarDir: string): { width: number; height: number };
  /** Rejects with OfferError on an offer it cannot answer. */
  answer(options: MediaPeerOptions): Promise<{ peer: LivePeer; answerSdp: string }>;
}

/** Wakes the card that stages will use; resolves with its name, or with why there is none. */
export async function wakeGpu(): Promise<{ gpu: string; gpuOff: string }> {
  const { findGpu } = await import("../../native/binding/index.js");
  return findGpu();
}

/** The addon and node-datachannel. Rejects when the addon has not been built. */
export async function nativeMediaEngine(): Promise<MediaEngine> {
  const [addon, streaming] = await Promise.all([
    import("../../native/binding/index.js"),
    import("../streaming/peer.ts"),
  ]);
  return {
    createStage: (options) => new addon.Stage(options),
    sizeOf: (avatarDir) => addon.readAvatar(avatarDir),
    answer: (options) => streaming.MediaPeer.answer(options),
  };
}
