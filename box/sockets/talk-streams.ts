// Replies generated elsewhere, arriving in pieces: kept per correlationId until their end.

import type { ClientMessage } from "../../contract/control-socket.ts";
import { limits } from "../../contract/limits.ts";

type Piece = Extract<ClientMessage, { type: "talkstream" }>;

/** Words to be spoken as they are, and how. */
export type Talk = Pick<
  Extract<ClientMessage, { type: "talk" }>,
  "content" | "voice" | "tone" | "correlationId"
>;

/** More at a time than any client needs. */
const openStreams = 16;
const droppedStreams = 64;

export type TalkStreamStep =
  | { case: "more" }
  | { case: "whole"; talk: Talk }
  | { case: "refused"; reason: string };

export class TalkStreams {
  readonly #open = new Map<string, Talk>();
  /** Streams that were cut off by an interrupt, or refused with an answer: the rest of them arrives for nobody. */
  readonly #dropped = new Set<string>();

  push(piece: Piece): TalkStreamStep {
    const { correlationId, startOfSpeech, endOfSpeech } = piece;
    const key = correlationId ?? "";
    if (startOfSpeech) {
      this.#dropped.delete(key);
      this.#open.set(key, { content: "", correlationId });
    }
    if (this.#dropped.has(key)) {
      if (endOfSpeech) this.#dropped.delete(key);
      return { case: "more" };
    }
    const before = this.#open.get(key);
    if (!before) return this.#refuse(piece, "no stream with this correlationId is open.");
    // How it is to sound may be said with any piece; the last word on it counts.
    const talk: Talk = {
      content: before.content + piece.content,
      voice: piece.voice ?? before.voice,
      tone: piece.tone ?? before.tone,
      correlationId,
    };
    if (talk.content.length > limits.messageChars)
      return this.#refuse(piece, `longer than ${limits.messageChars} characters.`);
    if (this.#open.size > openStreams)
      return this.#refuse(piece, `more than ${openStreams} streams are open.`);
    if (!endOfSpeech) {
      this.#open.set(key, talk);
      return { case: "more" };
    }
    this.#open.delete(key);
    return { case: "whole", talk };
  }

  /** Drops what has not been spoken yet. */
  interrupt(): void {
    for (const key of this.#open.keys()) this.#drop(key);
  }

  /** One answer for a stream: what else comes of it is dropped without a word. */
  #refuse({ correlationId, endOfSpeech }: Piece, reason: string): TalkStreamStep {
    const key = correlationId ?? "";
    this.#open.delete(key);
    if (!endOfSpeech) this.#drop(key);
    return { case: "refused", reason: `talkstream: ${reason}` };
  }

  #drop(key: string): void {
    this.#open.delete(key);
    this.#dropped.add(key);
    // A client that never ends its streams makes no list without end.
    const [oldest] = this.#dropped;
    if (this.#dropped.size > droppedStreams && oldest !== undefined) this.#dropped.delete(oldest);
  }
}
