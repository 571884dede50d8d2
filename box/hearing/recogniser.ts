// What the box asks of a speech recogniser, whoever makes it.

import type { ConversationMode } from "../../contract/microphone-socket.ts";
import type { Language } from "../../contract/tones.ts";
import type { EngineState } from "../voices/voice.ts";

export type RecognitionEvent =
  /** All words of the turn so far, as they are understood now. */
  | { case: "partial"; text: string }
  /** Only from a recogniser that hears turns by itself: somebody began to speak. */
  | { case: "speech_started" }
  /** Only from a recogniser that hears turns by itself: the whole turn. */
  | { case: "turn"; text: string }
  /** Once: nothing will be recognised any more. The message may be shown to the caller. */
  | { case: "failed"; message: string };

/** One stream of speech being recognised. Nothing is told any more once it has failed or was closed. */
export interface Recognition {
  /**
   * Mono PCM at 16 kHz, in order. A recogniser that wants speech gets the stretches with speech in them, each with a
   * lead-in and a little silence behind it; one that wants everything gets the silence too.
   */
  push(samples: Int16Array): void;
  /**
   * The whole turn as it is understood at the end of what was pushed; the next words begin another. Rejects when the
   * recogniser failed.
   */
  settle(): Promise<string>;
  /** Forgets the turn so far. */
  drop(): void;
  setLanguage(language: Language): void;
  /** Frees everything. Idempotent. */
  close(): Promise<void>;
}

export interface RecogniserProvider {
  readonly id: "pocketsphinx" | "deepgram" | "openai_realtime";
  /** Set when the provider hears turns by itself, and `settle` is not needed. */
  readonly mode: ConversationMode | null;
  readonly wants: "speech" | "everything";
  state(): EngineState;
  /** Rejects with RecognitionError when it would not start. */
  open(options: { language: Language; onEvent(event: RecognitionEvent): void }): Promise<Recognition>;
  close(): Promise<void>;
}

/** A recogniser that would not start. The message may be shown to the caller and holds nothing secret. */
export class RecognitionError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "RecognitionError";
  }
}
