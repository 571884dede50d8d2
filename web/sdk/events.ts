// What a client can be listened to for.

import type { ServerEvent } from "../../contract/control-socket.ts";
import type { VisavisError } from "./errors.ts";
import type { StreamStats } from "./stats.ts";

export type ConnectionState = "idle" | "connecting" | "connected" | "reconnecting" | "closed";

/** Why a session is over. */
export type CloseReason =
  | "disconnected"
  | "replaced"
  | "persona"
  | "idle"
  | "max_length"
  | "credential"
  | "refused"
  | "lost";

type Wire<Type extends ServerEvent["type"]> = Omit<Extract<ServerEvent, { type: Type }>, "type">;

/** One clause of a reply, as it is handed to the voice. */
export type MessageStreamEvent = Wire<"message_stream">;

export interface EventMap {
  /** Media and control are told apart because either can be lost alone. */
  CONNECTION_STATE: { state: ConnectionState; media: boolean; control: boolean };
  SESSION_READY: Wire<"session_ready">;
  /** First picture on the screen, in milliseconds from the call of `connect()`. */
  VIDEO_PLAY_STARTED: { firstFrameMs: number };
  USER_MESSAGE: Wire<"user_message">;
  MESSAGE_STREAM_EVENT_RECEIVED: MessageStreamEvent;
  MESSAGE: Wire<"message">;
  AVATAR_SPEECH_STARTED: Wire<"avatar_speech_started">;
  AVATAR_SPEECH_ENDED: Wire<"avatar_speech_ended">;
  INTERRUPTED: Record<string, never>;
  TOOL_CALL: Wire<"tool_call">;
  /** The turn or the session goes on. */
  WARNING: { message: string; code: string };
  /** `fatal` means that the session is over; `CLOSED` follows. */
  ERROR: { error: VisavisError; fatal: boolean };
  SESSION_EXPIRED: Wire<"session_expired">;
  /** What the box measured for one turn, in milliseconds. */
  METRIC: Wire<"metric">;
  /** Once a second while media flows. */
  STATS: StreamStats;
  /** Once, when the session is over for good. */
  CLOSED: { reason: CloseReason; message: string };
}

export type EventName = keyof EventMap;
export type Listener<Name extends EventName> = (event: EventMap[Name]) => void;

/** Event names as constants, for those who prefer them to strings. */
export const VisavisEvent = {
  CONNECTION_STATE: "CONNECTION_STATE",
  SESSION_READY: "SESSION_READY",
  VIDEO_PLAY_STARTED: "VIDEO_PLAY_STARTED",
  USER_MESSAGE: "USER_MESSAGE",
  MESSAGE_STREAM_EVENT_RECEIVED: "MESSAGE_STREAM_EVENT_RECEIVED",
  MESSAGE: "MESSAGE",
  AVATAR_SPEECH_STARTED: "AVATAR_SPEECH_STARTED",
  AVATAR_SPEECH_ENDED: "AVATAR_SPEECH_ENDED",
  INTERRUPTED: "INTERRUPTED",
  TOOL_CALL: "TOOL_CALL",
  WARNING: "WARNING",
  ERROR: "ERROR",
  SESSION_EXPIRED: "SESSION_EXPIRED",
  METRIC: "METRIC",
  STATS: "STATS",
  CLOSED: "CLOSED",
} as const satisfies { [Name in EventName]: Name };

/** A listener that throws is reported to the page like any uncaught error and silences nobody else. */
export class Emitter<Events extends object = EventMap> {
  readonly #listeners = new Map<keyof Events, Set<(event: never) => void>>();

  /** Returns the function that removes the listener again. */
  addListener<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): () => void {
    const listeners = this.#listeners.get(name) ?? new Set();
    listeners.add(listener);
    this.#listeners.set(name, listeners);
    return () => this.removeListener(name, listener);
  }

  removeListener<Name extends keyof Events>(name: Name, listener: (event: Events[Name]) => void): void {
    this.#listeners.get(name)?.delete(listener);
  }

  emit<Name extends keyof Events>(name: Name, event: Events[Name]): void {
    // A copy, so that a listener may remove itself or others while it runs.
    for (const listener of Array.from(this.#listeners.get(name) ?? [])) {
      try {
        (listener as (event: Events[Name]) => void)(event);
      } catch (thrown) {
        queueMicrotask(() => {
          throw thrown;
        });
      }
    }
  }
}
