// From a model's text to what the avatar says: tags off, clauses cut.

import type { Tone } from "../../contract/tones.ts";
import { ClauseCutter } from "./clauses.ts";
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

/** The clauses of a streamed reply, each as soon as it is certain. */
export async function* clausesOf(
  pieces: AsyncIterable<string> | Iterable<string>,
  { emotion }: SpeechOptions,
): AsyncGenerator<Clause, void, undefined> {
  const parser = new ToneParser();
  const cutter = new ClauseCutter();
  let tone: Tone = "neutral";

  const cut = function* ({ text, tone: next }: { text: string; tone: Tone }): Generator<Clause> {
    // A change of tone ends the clause before it, but only when something follows: a last tag changes nothing.
    if (next !== tone && text.trim() !== "") {
      for (const clause of cutter.flush()) yield { text: clause, tone, last: false };
      tone = next;
    }
    for (const clause of cutter.push(text)) yield { text: clause, tone, last: false };
  };
  const shown = (clause: Clause): Clause => (emotion ? clause : { ...clause, tone: "neutral" });

  for await (const piece of pieces) {
    for (const toned of parser.push(piece)) for (const clause of cut(toned)) yield shown(clause);
  }
  for (const toned of parser.flush()) for (const clause of cut(toned)) yield shown(clause);
  for (const text of cutter.flush()) yield shown({ text, tone, last: true });
}

/** The clauses of a text that is spoken as it is written: brackets and all. */
export function clausesAsWritten(text: string, tone: Tone): Clause[] {
  const cutter = new ClauseCutter();
  const cut = [...cutter.push(text), ...cutter.flush()];
  return cut.map((clause, index) => ({ text: clause, tone, last: index === cut.length - 1 }));
}
