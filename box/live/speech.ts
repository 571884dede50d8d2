// What is heard on the stage, as the director sees it: words spoken by a voice, or sound that somebody else brings.

import type { Tone } from "../../contract/tones.ts";

export interface SpeechEnd {
  interrupted: boolean;
  /** What was heard of it. */
  playedMs: number;
}

export interface Speech {
  /** On the stage; null until it has its place. */
  readonly number: number | null;
  readonly correlationId: string | null;
  /** performance.now() when its first sample left the box. */
  readonly startedAtMs: number | null;
  readonly over: boolean;
  /** Resolves once nothing of it will be heard any more. */
  readonly ended: Promise<unknown>;
  /** The tone that begins at a mark; the first one of all at mark 0. */
  toneAt(mark: number): Tone;
  /** Its first sample leaves the box. */
  start(atMs: number): void;
  /** Nothing more is made for it; what the stage still holds is the director's to drop. */
  stop(): void;
  /** Gives it a place of its own again, where it was not heard yet. Throws when the stage takes no more. */
  reopen(): void;
  /** The stage says that it is over, or the session is. Idempotent. */
  end(end: SpeechEnd): void;
}
