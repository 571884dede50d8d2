// Whether the speaker is done: what the words say about it, and the silence that would settle it.
//
// Listeners answer about 200 ms after a turn ends (Stivers et al. 2009, PNAS 106:10587, ten languages; Levinson and
// Torreira 2015, Frontiers in Psychology 6:731), which they can only do because the words tell them that it will end.
// So words that close a turn need little more silence than that, and words that leave it open are given time. The
// figures below were tuned on bench/hearing.

import type { Language } from "../../contract/tones.ts";
import { wordsOf } from "./completeness/languages.ts";
import type { LanguageWords } from "./completeness/words.ts";

export type EndpointReason =
  | "no_words"
  | "filler"
  | "unfinished"
  | "numbers"
  | "clause"
  | "fragment"
  | "statement"
  | "answer"
  | "question"
  | "closing";

export interface Endpoint {
  /** How likely the turn is over, 0..1. */
  eot: number;
  /** The silence that would settle it. */
  waitMs: number;
  reason: EndpointReason;
}

export type EndOfTurn = (text: string, language: Language) => Endpoint;

const endpoints: Record<EndpointReason, Omit<Endpoint, "reason">> = {
  no_words: { eot: 0.3, waitMs: 800 },
  filler: { eot: 0.03, waitMs: 1600 },
  unfinished: { eot: 0.08, waitMs: 1400 },
  numbers: { eot: 0.2, waitMs: 1250 },
  clause: { eot: 0.22, waitMs: 1250 },
  fragment: { eot: 0.45, waitMs: 800 },
  statement: { eot: 0.65, waitMs: 620 },
  answer: { eot: 0.85, waitMs: 320 },
  question: { eot: 0.88, waitMs: 290 },
  closing: { eot: 0.92, waitMs: 250 },
};

/** Fewer words than this are a statement only if something says so. */
const statementWords = 3;
/** A row of this many numbers is being dictated… */
const dictatedNumbers = 3;
/** …and a telephone number is over at about this many digits. */
const phoneDigits = 10;
/** A subordinate clause with its main clause is seldom shorter… */
const clauseWords = 6;
/** …and one this long is over, whatever it is made of. */
const longClauseWords = 10;

const punctuationAround = /^[^\p{L}\p{M}\p{N}]+|[^\p{L}\p{M}\p{N}']+$/gu;

/** The words of a text, as they are compared: lower case, no punctuation. */
export function tokens(text: string): string[] {
  return text
    .normalize("NFC")
    .toLowerCase()
    .replaceAll("’", "'")
    .split(/\s+/u)
    .map((word) => word.replace(punctuationAround, ""))
    .filter(Boolean);
}

export const endOfTurn: EndOfTurn = (text, language) => {
  const reason = reasonOf(text.trim(), wordsOf[language]);
  return { reason, ...endpoints[reason] };
};

function reasonOf(text: string, words: LanguageWords): EndpointReason {
  const said = tokens(text);
  if (said.length === 0) return "no_words";
  if (/[?？]$/u.test(text)) return "question";
  const reason = words.spaced ? spacedReason(said, words) : unspacedReason(said.join(""), words);
  // A recogniser that writes punctuation has heard more than the words: how they were said.
  if (/(?:[,;:、，–—-]|…|\.\.\.)$/u.test(text) && reason !== "filler") return "unfinished";
  return reason === "fragment" && /[.!。！]$/u.test(text) ? "statement" : reason;
}

function spacedReason(said: string[], words: LanguageWords): EndpointReason {
  const last = said.at(-1) ?? "";
  if (words.answers.has(said.join("-"))) return "answer";
  const tail = ` ${said.join(" ")}`;
  const closing = longestEnd(words.closing, (phrase) => tail.endsWith(` ${phrase}`));
  const open = longestEnd(words.trailingPhrases, (phrase) => tail.endsWith(` ${phrase}`));
  if (closing > 0 && closing > open) return "closing";
  if (words.fillers.has(last)) return "filler";
  const dictated = numbersAtEnd(said, words);
  if (dictated.row >= dictatedNumbers) return dictated.digits >= phoneDigits ? "statement" : "numbers";
  // "d'un" and "qu'il" end as "un" and "il" do.
  const bare = last.slice(last.lastIndexOf("'", last.length - 2) + 1);
  if (words.closingSuffixes?.some((suffix) => last.endsWith(suffix))) return "closing";
  const question =
    said.length >= statementWords && words.questions.some((phrase) => tail.startsWith(` ${phrase} `));
  if (isStranded(said, words)) return question ? "question" : "statement";
  if (open > 0 || words.trailing.has(last) || words.trailing.has(bare)) return "unfinished";
  if (isHalfClause(said, words)) return "clause";
  if (question) return "question";
  return said.length >= statementWords ? "statement" : "fragment";
}

function unspacedReason(text: string, words: LanguageWords): EndpointReason {
  if (words.answers.has(text)) return "answer";
  const endsWith = (end: string) => text.endsWith(end);
  const closing = longestEnd(words.closing, endsWith);
  const open = longestEnd(words.trailingPhrases, endsWith);
  const filler = longestEnd([...words.fillers], endsWith);
  if (filler > 0 && filler >= Math.max(closing, open)) return "filler";
  const dictated = numbersAtEnd([...text], words);
  if (dictated.row >= dictatedNumbers) return dictated.digits >= phoneDigits ? "statement" : "numbers";
  if (open > closing) return "unfinished";
  if (closing > 0) return "closing";
  return "fragment";
}

/** Characters of the longest end that fits; 0 when none does. */
function longestEnd(ends: readonly string[], fits: (end: string) => boolean): number {
  let longest = 0;
  for (const end of ends) if (end.length > longest && fits(end)) longest = end.length;
  return longest;
}

/** The row of numbers that a text ends with. */
function numbersAtEnd(said: string[], words: LanguageWords): { row: number; digits: number } {
  let row = 0;
  let digits = 0;
  for (let index = said.length - 1; index >= 0; index -= 1) {
    const word = said[index] ?? "";
    const written = /^[\d.-]+$/u.test(word) ? word.replaceAll(/\D/gu, "").length : 0;
    if (written === 0 && !words.numbers.has(word)) break;
    digits += written || 1;
    // Figures written together, as in "0412", were said one by one.
    row += written || 1;
  }
  return { row, digits };
}

/** "If you have time": the clause that it belongs to is still to come. */
function isHalfClause(said: string[], words: LanguageWords): boolean {
  const first = said[0] ?? "";
  if (!words.subordinators.has(first)) return false;
  if (said.length < clauseWords) return true;
  if (words.dropsSubjects) return false;
  let subjects = 0;
  for (const word of said.slice(1)) if (words.subjects.has(word)) subjects += 1;
  return subjects < 2 && said.length < longClauseWords;
}

/** "Where are you from": what opened the sentence calls for such an end. */
function isStranded(said: string[], { stranded }: LanguageWords): boolean {
  return (
    stranded !== undefined &&
    stranded.words.has(said.at(-1) ?? "") &&
    said.slice(0, -2).some((word) => stranded.after.has(word))
  );
}
