// What the microphone socket asks of the ears: speech in, turns out.

import type { ConversationMode } from "../../contract/microphone-socket.ts";
import type { Language } from "../../contract/tones.ts";
import type { Playback } from "../live/playback.ts";
import type { EngineState } from "../voices/voice.ts";

/** All times are performance.now(). */
export type ListenerEvent =
  /** Somebody speaks who is not the avatar: it stops, if it is speaking. */
  | { case: "speech_started"; atMs: number }
  /** All words of the turn so far. */
  | { case: "partial"; text: string }
  /** Beside each revision: how likely the turn is over (0..1), and the silence that would settle it. */
  | { case: "endpoint"; eot: number; waitMs: number; reason: string }
  /** The speaker has paused and may be done: a reply to `text` may be prepared, unheard. */
  | { case: "likely"; text: string }
  /** The speaker went on after `likely`. */
  | { case: "unlikely" }
  /** The turn is over. `speechEndedAtMs`: when the last word ended. */
  | { case: "turn"; text: string; speechEndedAtMs: number }
  /** What was heard came to nothing, after a partial had been told. */
  | { case: "nothing" }
  /** Once: recognition is over. */
  | { case: "failed"; message: string };

export interface Listener {
  /** Mono PCM at 16 kHz, any length. */
  push(samples: Int16Array): void;
  /** Muted: nothing is heard, and words held are dropped (`nothing`). */
  setMuted(muted: boolean): void;
  setLanguage(language: Language): void;
  /** Drops what is held and frees everything; no event follows. Idempotent. */
  close(): Promise<void>;
}

export interface Ears {
  /** Set when the provider hears turns by itself: no `partial`, `endpoint`, `likely`, `unlikely` and `nothing` come. */
  readonly mode: ConversationMode | null;
  /** `unavailable` when no recogniser is configured, and while the configured one cannot be had; the detail says which. */
  state(): EngineState;
  /** Rejects with RecognitionError when recognition would not start. */
  listen(options: {
    language: Language;
    /** What the avatar says, which is not to be taken for the speaker; null when it has no voice here. */
    playback: Playback | null;
    onEvent(event: ListenerEvent): void;
  }): Promise<Listener>;
  close(): Promise<void>;
}
