// Why a microphone socket closes, in one sentence for its error event and its close frame.

import { microphoneCloseCode, microphoneLimits } from "../../contract/microphone-socket.ts";

export interface MicrophoneRefusal {
  code: number;
  error: string;
  /** For a client that wants to tell causes of one code apart. */
  error_code?: "rtc_not_owner" | "rtc_owner_unverified";
}

/** A close frame has room for this much. */
const reasonBytes = 123;

/** The sentence, cut where a close frame would have to cut it. */
export function closeSentence(sentence: string): string {
  if (Buffer.byteLength(sentence) <= reasonBytes) return sentence;
  let cut = "";
  for (const character of sentence) {
    if (Buffer.byteLength(cut + character) > reasonBytes - 3) break;
    cut += character;
  }
  return `${cut}…`;
}

const { burstSeconds, messagesPerSecond } = microphoneLimits;

export const refusals = {
  noRecognition: {
    code: microphoneCloseCode.noRecognition,
    error: "No speech recognition is configured on this box.",
  },
  noSession: {
    code: microphoneCloseCode.noSession,
    error: "There is no live session yet; go live first.",
  },
  slotTaken: {
    code: microphoneCloseCode.slotTaken,
    error: "Another socket holds the microphone.",
  },
  notOwner: {
    code: microphoneCloseCode.slotTaken,
    error: "The live room belongs to another account.",
    error_code: "rtc_not_owner",
  },
  ownerUnverified: {
    code: microphoneCloseCode.setUpFailed,
    error: "Whose room is live could not be checked; try again shortly.",
    error_code: "rtc_owner_unverified",
  },
  revoked: {
    code: microphoneCloseCode.credentialRevoked,
    error: "The credential was revoked; sign in again.",
  },
  recognitionLate: {
    code: microphoneCloseCode.recognitionFailed,
    error: "Speech recognition did not start in time.",
  },
  setUpFailed: {
    code: microphoneCloseCode.setUpFailed,
    error: "The box could not set the microphone up; try again shortly.",
  },
  idle: {
    code: microphoneCloseCode.idle,
    error: "The session sat idle and was released.",
  },
  max_length: {
    code: microphoneCloseCode.maxLength,
    error: "The session reached its allowed length.",
  },
  shutdown: { code: microphoneCloseCode.goingAway, error: "The box is shutting down." },
  audioFlood: {
    code: microphoneCloseCode.policy,
    error: `The audio came more than ${burstSeconds} seconds ahead of real time.`,
  },
  messageFlood: {
    code: microphoneCloseCode.policy,
    error: `More than ${messagesPerSecond} messages a second.`,
  },
  mistakes: { code: microphoneCloseCode.policy, error: "Too many malformed messages." },
  backlog: { code: microphoneCloseCode.policy, error: "The socket is read too slowly." },
} as const satisfies Record<string, MicrophoneRefusal>;

/** Recognition that would not start, and its own words about it. */
export function recognitionFailed(message: string): MicrophoneRefusal {
  return { code: microphoneCloseCode.recognitionFailed, error: closeSentence(message) };
}
