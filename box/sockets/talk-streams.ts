// Replies generated elsewhere, arriving in pieces: kept per correlationId until their end.

import type { ClientMessage } from "../../contract/control-socket.ts";
import { limits } from "../../contract/limits.ts";

type Piece = Extract<ClientMessage, { type: "talkstream" }>;

/** More at a time than any client needs. */
const openStreams = 16;
const cutStreams = 64;

export type TalkStreamStep =
  | { case: "more" }
  | { case: "whole"; piece: Piece; content: string }
  | { case: "refused"; reason: string };

export class TalkStreams {
  readonly #open = new Map<string, string>();
  /** Streams an interrupt cut off: the rest of them arrives for nobody. */
  readonly #cut = new Set<string>();

  push(piece: Piece): TalkStreamStep {
    const key = piece.correlationId ?? "";
    if (piece.startOfSpeech) {
      this.#cut.delete(key);
      this.#open.set(key, "");
    }
    if (this.#cut.has(key)) {
      if (piece.endOfSpeech) this.#cut.delete(key);
      return { case: "more" };
    }
    const before = this.#open.get(key);
    if (before === undefined)
      return { case: "refused", reason: "talkstream: no stream with this correlationId is open." };
    const content = before + piece.content;
    if (content.length > limits.messageChars) {
      this.#open.delete(key);
      return { case: "refused", reason: `talkstream: longer than ${limits.messageChars} characters.` };
    }
    if (this.#open.size > openStreams) {
      this.#open.delete(key);
      return { case: "refused", reason: `talkstream: more than ${openStreams} streams are open.` };
    }
    if (!piece.endOfSpeech) {
      this.#open.set(key, content);
      return { case: "more" };
    }
    this.#open.delete(key);
    return { case: "whole", piece, content };
  }

  /** Drops what has not been spoken yet. */
  interrupt(): void {
    for (const key of this.#open.keys()) this.#cut.add(key);
    // A client that never ends its streams makes no list without end.
    for (const key of this.#cut) if (this.#cut.size > cutStreams) this.#cut.delete(key);
    this.#open.clear();
  }
}
