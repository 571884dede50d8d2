// A scripted persona for rehearsing without a language model. It never pretends to be one.

import { setTimeout as sleep } from "node:timers/promises";
import { rehearsalLines } from "./rehearsal-script.ts";
import type { ModelPiece, ModelProvider, ModelRequest } from "./model.ts";

/** As a model writes: a few characters at a time. */
const pieceChars = 6;

export interface RehearsalOptions {
  /** Pause between two pieces. */
  pieceMs?: number;
}

export class RehearsalModel implements ModelProvider {
  readonly id = "builtin";
  readonly #pieceMs: number;

  constructor({ pieceMs = 4 }: RehearsalOptions = {}) {
    this.#pieceMs = pieceMs;
  }

  async *stream({ messages, signal }: ModelRequest): AsyncGenerator<ModelPiece, void, undefined> {
    const turn = messages.filter((message) => message.role === "user").length;
    const last = messages.findLast((message) => message.role === "user");
    const said = last?.role === "user" ? last.content : "";
    const reply = rehearsalLines(said, turn);
    for (let at = 0; at < reply.length && !signal.aborted; at += pieceChars) {
      yield { case: "text", text: reply.slice(at, at + pieceChars) };
      if (this.#pieceMs > 0) await sleep(this.#pieceMs, undefined, { signal }).catch(() => undefined);
    }
  }
}
