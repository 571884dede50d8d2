// What a language's words say about whether a sentence is over.

export interface LanguageWords {
  /** Written with spaces between words. */
  spaced: boolean;
  /** Said while thinking: the speaker goes on. */
  fillers: ReadonlySet<string>;
  /** Articles, prepositions, conjunctions, auxiliaries…: a sentence seldom ends with one. */
  trailing: ReadonlySet<string>;
  /** Ends of a text after which more is due, though the last word alone would not say so. */
  trailingPhrases: readonly string[];
  /** Ends of a text that close it: thanks, please, closing particles. They outweigh `trailing`. */
  closing: readonly string[];
  /** Whole texts that are an answer or a greeting. */
  answers: ReadonlySet<string>;
  /** Beginnings of a question. */
  questions: readonly string[];
  /** First words of a clause that another must follow. */
  subordinators: ReadonlySet<string>;
  /** Subjects: a second one after a subordinator is the main clause's. */
  subjects: ReadonlySet<string>;
  /** Main clauses may go without a subject. */
  dropsSubjects?: boolean;
  /** Words that end a sentence after all when one of `after` came before: "where are you from", "weil ich es kann". */
  stranded?: { words: ReadonlySet<string>; after: ReadonlySet<string> };
  /** Endings of a last word that close a sentence. */
  closingSuffixes?: readonly string[];
  numbers: ReadonlySet<string>;
}

/** The words of a text. */
export const set = (words: string): ReadonlySet<string> => new Set(words.split(/\s+/u).filter(Boolean));

/** The phrases of a text, one a comma. */
export const phrases = (text: string): string[] =>
  text
    .split(",")
    .map((phrase) => phrase.trim())
    .filter(Boolean);
