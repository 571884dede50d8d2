// Whether words heard are the avatar's own: the last resort against an echo that sounds like somebody else.

import type { Playback } from "../live/playback.ts";
import { tokens } from "./end-of-turn.ts";

/** Words are recognised after they were said. */
const rememberedMs = 2_500;
/** A single word in common happens. */
const fewestWords = 3;
const mostOf = 0.75;
/** Longer texts are compared at their ends only. */
const comparedWords = 60;

export class EchoWords {
  readonly #playback: Pick<Playback, "words">;
  #said: { words: string[]; text: string; untilMs: number } = { words: [], text: "", untilMs: 0 };

  constructor(playback: Pick<Playback, "words">) {
    this.#playback = playback;
  }

  /** Takes note of what is being said. */
  note(nowMs: number): void {
    const text = this.#playback.words;
    if (text === "") return;
    if (text !== this.#said.text) this.#said = { text, words: wordsIn(text), untilMs: 0 };
    this.#said.untilMs = nowMs + rememberedMs;
  }

  /** Most of the words, in order, are among those that the avatar says or has just said. */
  explains(text: string, nowMs: number): boolean {
    if (nowMs > this.#said.untilMs) return false;
    const heard = wordsIn(text).slice(-comparedWords);
    if (heard.length < fewestWords) return false;
    return inCommon(heard, this.#said.words) >= mostOf * heard.length;
  }
}

/** Written without spaces, every character counts as a word. */
function wordsIn(text: string): string[] {
  return tokens(text).flatMap((word) =>
    /[\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Han}]/u.test(word) ? [...word] : [word],
  );
}

/** The length of the longest common subsequence. */
function inCommon(heard: string[], said: string[]): number {
  let before = new Uint16Array(said.length + 1);
  let row = new Uint16Array(said.length + 1);
  for (const word of heard) {
    for (let index = 0; index < said.length; index += 1)
      row[index + 1] =
        said[index] === word ? (before[index] ?? 0) + 1 : Math.max(before[index + 1] ?? 0, row[index] ?? 0);
    [before, row] = [row, before];
  }
  return before[said.length] ?? 0;
}
