// What the microphone socket says, and what its closing means. Pure.

import type { MicrophoneEvent, MicrophoneEventType } from "../../contract/microphone-socket.ts";
import { parseEvent } from "./wire.ts";

/** Where the microphone socket lives; equal to the contract's `microphoneSocketPath`. */
export const microphonePath = "/api/voice/ws";

const knownTypes = new Set<string>([
  "ready",
  "partial",
  "endpoint",
  "final",
  "caption_clear",
  "state",
  "tool",
  "action",
  "reply_chunk",
  "metric",
  "reply",
  "reply_error",
  "session_end",
  "voice_notice",
  "auth_required",
  "auth_state",
  "error",
] satisfies MicrophoneEventType[]);

/** The event in a frame, or null for anything a client has to ignore. */
export function parseMicrophoneEvent(data: unknown): MicrophoneEvent | null {
  return parseEvent(data, knownTypes);
}

/** What to do about a socket that closed. */
export type AfterClose =
  /** Dialling again is wrong. */
  | { case: "end"; code: "microphone_refused" | "credential" | "session_expired"; sentence: string }
  /** As soon as the session is live, if it is not. */
  | { case: "once_live" }
  /** Something has to change first, so it takes its time. */
  | { case: "later" }
  | { case: "again" };

export function afterClose(code: number): AfterClose {
  switch (code) {
    case 4001:
      return {
        case: "end",
        code: "microphone_refused",
        sentence: "This service has no speech recognition; you can still type.",
      };
    case 4005:
      return {
        case: "end",
        code: "microphone_refused",
        sentence: "Speech recognition would not start; you can still type.",
      };
    case 4004:
      return { case: "end", code: "credential", sentence: "The credential was revoked; sign in again." };
    case 4007:
      return { case: "end", code: "session_expired", sentence: "The session sat idle and was released." };
    case 4008:
      return { case: "end", code: "session_expired", sentence: "The session reached its full length." };
    case 4002:
      return { case: "once_live" };
    case 4003:
    case 4006:
      return { case: "later" };
    default:
      return { case: "again" };
  }
}
