// What a microphone socket's machine is told, and what it asks for.

import type { MicrophoneEvent } from "../../contract/microphone-socket.ts";
import type { Language } from "../../contract/tones.ts";
import type { ListenerEvent } from "../hearing/listener.ts";
import type { CallChange } from "../live/call.ts";
import type { MicrophoneRefusal } from "./microphone-refusals.ts";
import type { TurnReport } from "./spoken-turn.ts";

/** `opening` (nothing is heard yet; events wait for `ready`) → `live` → `closed`, which is also reached from `opening`. */
export type MicrophoneState = "opening" | "live" | "closed";

export interface MicrophoneReady {
  ready: Extract<MicrophoneEvent, { type: "ready" }>;
  /** The live face. */
  avatar: string;
  paused: boolean;
  language: Language;
}

export type MicrophoneInput =
  | { case: "opened"; opened: MicrophoneReady }
  | { case: "text"; data: string; nowMs: number }
  | { case: "audio"; bytes: Uint8Array; nowMs: number }
  /** `busy`: the avatar says something, or is about to. */
  | { case: "heard"; event: ListenerEvent; busy: boolean }
  | { case: "turn"; report: TurnReport }
  /** A turn of the account came by another way than this. */
  | { case: "disturbed" }
  /** Whether the avatar is heard. */
  | { case: "speaking"; speaking: boolean }
  /** Which account the voice is billed to, as far as it is not the one chosen. */
  | { case: "notice"; notice: string }
  | { case: "call"; change: CallChange }
  | { case: "complaint"; error: string }
  /** The answer to a `verify`; `live` when the credential is good and the same account's. */
  | { case: "verified"; live: boolean }
  | { case: "credential_lapsed" }
  /** The persona has said goodbye. */
  | { case: "farewell" }
  | { case: "session_ended"; reason: string }
  | { case: "refused"; refusal: MicrophoneRefusal }
  /** The reader does not keep up. */
  | { case: "backlog" }
  | { case: "disconnected" };

export type MicrophoneOutput =
  | { case: "send"; event: MicrophoneEvent }
  /** `defect`: the peer's doing, worth a line in the log. */
  | { case: "close"; code: number; reason: string; defect: boolean }
  /** For the listener. */
  | { case: "hear"; samples: Int16Array }
  | { case: "deafen"; deaf: boolean }
  | { case: "language"; language: Language }
  /** Somebody is there: the idle window starts anew. */
  | { case: "touch" }
  /** Barge-in. */
  | { case: "interrupt" }
  | { case: "speculate"; text: string }
  | { case: "drop" }
  /** The next turn does not go on with what was interrupted. */
  | { case: "forget" }
  | { case: "take"; turn: number; text: string }
  | { case: "configure"; voice: string | undefined }
  | { case: "verify"; token: string }
  | { case: "resume" }
  /** The client ends the session. */
  | { case: "end_session" };
