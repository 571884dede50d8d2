// Where a live session gets the loops of its avatar's tones from, also those that are made while it runs.

import type { Tone } from "../../contract/tones.ts";
import type { AvatarEntry } from "../avatars/library.ts";
import { describeError, type Log } from "../ops/log.ts";
import type { Faces } from "./faces.ts";

export class Loops {
  readonly #log: Log;
  readonly #listeners = new Set<(avatar: string) => void>();
  #faces: Pick<Faces, "loops"> | null = null;

  constructor(log: Log) {
    this.#log = log;
  }

  /** The library, once it is open. */
  attach(faces: Pick<Faces, "loops">): void {
    this.#faces = faces;
  }

  /** The folders of an avatar's loops, as far as they are ready and of the photograph that it was made from. */
  of(account: string, { id, madeAt }: Pick<AvatarEntry, "id" | "madeAt">): ReadonlyMap<Tone, string> {
    return this.#faces?.loops(account, id, madeAt) ?? new Map();
  }

  /** Something about an avatar has changed, its loops perhaps. */
  moved(avatar: string): void {
    for (const listener of this.#listeners) listener(avatar);
  }

  /** Returns what ends it. */
  subscribe(listener: (avatar: string) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  failed(avatar: string, tone: Tone, error: unknown): void {
    this.#log.warn({ ...describeError(error), avatar, tone }, "the loop of a tone could not be loaded");
  }
}
