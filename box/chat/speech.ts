// From a model's text to what the avatar says: tags off, clauses cut, markup gone.

import type { Tone } from "../../contract/tones.ts";
import { ClauseCutter } from "./clauses.ts";
import { plain } from "./plain.ts";
import { ToneParser } from "./tones.ts";

export interface Clause {
  text: string;
  tone: Tone;
  /** Nothing follows. */
  last: boolean;
}

export interface SpeechOptions {
  /** False: everything is said neutrally, whatever the tags say. */
  emotion: boolean;
}

const speakable = /[\p{L}\p{N}]/u;

/** The clauses of a streamed reply, each as soon as it is certain. */
export async function* clausesOf(
  pieces: AsyncIterable<string> | Iterable<string>,
  { emotion }: SpeechOptions,
): AsyncGenerator<Clause, void, undefined> {
  const parser = new ToneParser();
  const cutter = new ClauseCutter();
  let tone: Tone = "neutral";

  const told = function* (clauses: string[], last = false): Generator<Clause> {
    const texts = clauses.map(plain).filter((text) => speakable.test(text));
    for (const [index, text] of texts.entries())
      yield { text, tone: emotion ? tone : "neutral", last: last && index === texts.length - 1 };
  };
  const cut = function* ({ text, tone: next }: { text: string; tone: Tone }): Generator<Clause> {
    let rest = text;
    if (next !== tone && cutter.inWord) {
      // A tag in the middle of a word: the word is said to its end first.
      const word = /^[\p{L}\p{M}\p{N}]*/u.exec(rest)?.[0] ?? "";
      yield* told(cutter.push(word));
      rest = rest.slice(word.length);
      if (rest === "") return;
    }
    // A change of tone ends the clause before it, but only when something follows: a last tag changes nothing.
    if (next !== tone && rest.trim() !== "") {
      yield* told(cutter.flush());
      tone = next;
    }
    yield* told(cutter.push(rest));
  };

  for await (const piece of pieces) {
    for (const toned of parser.push(piece)) yield* cut(toned);
  }
  for (const toned of parser.flush()) yield* cut(toned);
  yield* told(cutter.flush(), true);
}

/** The clauses of a text that is spoken as it is written: brackets and all. */
export function clausesAsWritten(text: string, tone: Tone): Clause[] {
  const cutter = new ClauseCutter();
  const cut = [...cutter.push(text), ...cutter.flush()];
  return cut.map((clause, index) => ({ text: clause, tone, last: index === cut.length - 1 }));
}
