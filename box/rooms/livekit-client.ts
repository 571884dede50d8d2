/** LiveKit's client as a module: loaded when the first room is asked for, so only its type may be imported before. */
export type LiveKit = typeof import("@livekit/rtc-node");
