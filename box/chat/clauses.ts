// Where a reply may be cut so that its beginning is spoken while its end is still being written.

import { judgeByNext, judgeStop, type StopContext } from "./full-stops.ts";

/** The first clause may end at a comma after this many characters: it decides how soon the face speaks. */
const firstSoftChars = 12;
const firstSoftCjkChars = 6;
/** Later clauses end at a comma only when they grow long. */
const softChars = 90;
const softCjkChars = 40;
/** A clause with no stop at all is cut at a space. */
const longestClause = 240;
/** The word after a stop says no more once it is this long. */
const longestLook = 24;

const hardStops = new Set("。！？｡．.!?…‥‼⁇⁈⁉।॥؟۔");
const softStops = new Set(",;:—–、，；：､");
/** After these the next clause needs no space. */
const unspaced = new Set("。！？｡．।॥、，；：､");
/** What closes a clause where it follows the stop at once; markup as well. */
const closers = new Set("\"'”’»)]」』）］】》〉*_~`");
const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]/u;
const emoji = /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D|\uFE0F|\u20E3/u;
const space = /\s/u;
const joining = /\p{M}|\p{Emoji_Modifier}|\u200D|\uFE0F/u;
const wordPart = /[\p{L}\p{M}'’]/u;
const speakable = /[\p{L}\p{N}]/u;

/** A stop that may end the clause: what comes after it decides. */
interface Candidate {
  character: string;
  hard: boolean;
  /** The clause's end if it is one: behind the marks and quotes that belong to the stop. */
  end: number;
  /** More stops or closing marks followed, so it is no abbreviation's. */
  dressed: boolean;
  unspaced: boolean;
  spaced: boolean;
  /** Where the last space before it was. */
  spaceBefore: number;
  /** The next word so far, when it decides. */
  look: { context: StopContext; word: string } | null;
}

type Reading = "more" | "end" | "inner";

/**
 * Cuts a stream of text into clauses, reading it a character at a time, so where the stream was cut changes nothing.
 * Clauses come out trimmed, with their white space collapsed.
 */
export class ClauseCutter {
  /** The clause being read, without white space before it. */
  #pending = "";
  #candidate: Candidate | null = null;
  #dense = false;
  #lastSpace = -1;
  #cutAny = false;
  /** The first half of a surrogate pair that was cut in two. */
  #half = "";
  /** Which of the quotes that open with different marks in different languages is open. */
  #guillemet: "«" | "»" | null = null;
  #lowQuote = false;
  #steps = 0;

  /** Clauses that are certain now: each was followed by the beginning of another. */
  push(text: string): string[] {
    const out: string[] = [];
    let whole = this.#half + text;
    this.#half = "";
    if (/[\uD800-\uDBFF]$/.test(whole)) {
      this.#half = whole.slice(-1);
      whole = whole.slice(0, -1);
    }
    for (const character of whole) this.#feed(character, out);
    return out;
  }

  /** The rest. */
  flush(): string[] {
    const out: string[] = [];
    const look = this.#candidate?.look;
    if (look && this.#candidate) {
      const { end } = this.#candidate;
      if (judgeByNext(look.context, look.word, "") === "end")
        for (const character of this.#cut(end, out)) this.#feed(character, out);
    }
    this.#pending += this.#half;
    this.#half = "";
    this.#take(this.#pending.length, out);
    this.#begin();
    return out;
  }

  get empty(): boolean {
    return this.#pending.trim() === "";
  }

  /** Whether what is pending ends in the middle of a word. */
  get inWord(): boolean {
    return /[\p{L}\p{M}\p{N}]$/u.test(this.#pending);
  }

  /** Characters read so far, those read twice counted twice. */
  get steps(): number {
    return this.#steps;
  }

  #feed(character: string, out: string[]): void {
    const stack = [character];
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      const again = this.#read(next, out);
      if (again !== "") stack.push(...[...again].toReversed());
    }
  }

  /** Reads one character; returns those that must be read again. */
  #read(character: string, out: string[]): string {
    this.#steps++;
    const at = this.#pending.length;
    const blank = space.test(character);
    if (at === 0 && blank) return "";
    this.#pending += character;
    if (blank) this.#lastSpace = at;
    const candidate = this.#candidate;
    if (candidate) {
      const reading = this.#follow(candidate, character);
      if (reading === "end") return this.#cut(candidate.end, out);
      if (reading === "inner") {
        const again = this.#pending.slice(candidate.end);
        this.#pending = this.#pending.slice(0, candidate.end);
        this.#lastSpace = candidate.spaceBefore;
        this.#candidate = null;
        return again;
      }
      if (this.#pending.length > longestClause) return this.#cut(this.#forcedEnd(), out);
      return "";
    }
    if (character === "\n") return this.#cut(at + 1, out);
    this.#dense ||= cjk.test(character);
    this.#quote(character);
    this.#candidate = this.#candidateAt(character, at);
    if (this.#pending.length > longestClause) return this.#cut(this.#forcedEnd(), out);
    return "";
  }

  #candidateAt(character: string, at: number): Candidate | null {
    const hard = hardStops.has(character);
    if (!hard) {
      if (!softStops.has(character)) return null;
      const [first, later] = this.#dense ? [firstSoftCjkChars, softCjkChars] : [firstSoftChars, softChars];
      if (this.#pending.slice(0, at).trimEnd().length < (this.#cutAny ? later : first)) return null;
    }
    return {
      character,
      hard,
      end: at + character.length,
      dressed: false,
      unspaced: unspaced.has(character),
      spaced: false,
      spaceBefore: this.#lastSpace,
      look: null,
    };
  }

  /** What a character after a stop says about it. */
  #follow(candidate: Candidate, character: string): Reading {
    if (candidate.look) return this.#lookOn(candidate, candidate.look, character);
    if (space.test(character)) {
      // Where no more words come for a while, a new line says so: it cuts at once.
      if (character === "\n" || candidate.unspaced) return "end";
      candidate.spaced = true;
      return "more";
    }
    if (emoji.test(character)) return this.#extend(candidate, character);
    if (this.#closes(character, candidate)) {
      this.#quote(character);
      return this.#extend(candidate, character);
    }
    if (!candidate.spaced) {
      if (hardStops.has(character)) return this.#extend(candidate, character);
      if (candidate.unspaced)
        return /[」』]$/u.test(this.#clause(candidate)) && /[とっ]/u.test(character) ? "inner" : "end";
      if (candidate.hard && /[¿¡]/u.test(character)) return "end";
      if (candidate.hard && candidate.character !== "." && cjk.test(character)) return "end";
      return "inner";
    }
    // French puts a space before its marks.
    if (candidate.hard && (character === "?" || character === "!")) return this.#extend(candidate, character);
    if (!candidate.hard || candidate.character !== "." || candidate.dressed) return "end";
    const words = this.#clause(candidate).slice(0, -1).split(/\s+/u);
    const context = {
      word: words.at(-1) ?? "",
      before: words.at(-2) ?? "",
      alone: words.length === 1,
    };
    const verdict = judgeStop(context, character);
    if (verdict !== "look") return verdict;
    candidate.look = { context, word: character };
    return "more";
  }

  /** The character belongs to the clause that ends. */
  #extend(candidate: Candidate, character: string): Reading {
    candidate.end = this.#pending.length;
    candidate.dressed = true;
    candidate.spaced = false;
    candidate.unspaced ||= unspaced.has(character);
    return "more";
  }

  #lookOn({ end }: Candidate, look: { context: StopContext; word: string }, character: string): Reading {
    if (wordPart.test(character) && this.#pending.length - end < longestLook) {
      look.word += character;
      return "more";
    }
    return judgeByNext(look.context, look.word, character);
  }

  #clause({ end }: Candidate): string {
    return this.#pending.slice(0, end);
  }

  #closes(character: string, { spaced, unspaced: cjkStop }: Candidate): boolean {
    if (character === "»") return this.#guillemet === "«" || (!spaced && this.#guillemet === null);
    if (character === "«") return this.#guillemet === "»";
    if (character === "“") return !spaced && !cjkStop && this.#lowQuote;
    return !spaced && closers.has(character);
  }

  #quote(character: string): void {
    if (character === "„") this.#lowQuote = true;
    else if (character === "“" || character === "”") this.#lowQuote = false;
    else if (character === "«" || character === "»")
      this.#guillemet =
        this.#guillemet === null ? character : this.#guillemet === character ? character : null;
  }

  /** Where a clause without a stop is cut: at a space, else between two characters. */
  #forcedEnd(): number {
    const before = this.#candidate?.end;
    if (before !== undefined && before < longestClause && this.#candidate?.spaced) return before;
    if (this.#lastSpace > 0 && this.#lastSpace <= longestClause) return this.#lastSpace;
    const second = (at: number) => /[\uDC00-\uDFFF]/.test(this.#pending[at] ?? "");
    const end = second(longestClause) ? longestClause - 1 : longestClause;
    // A mark stays with its letter, as long as there are not hundreds of them.
    for (let at = end; at > end - 16; at--)
      if (!second(at) && !joining.test(this.#pending[at] ?? "") && this.#pending[at - 1] !== "\u200D")
        return at;
    return end;
  }

  /** A clause ends; what follows it is read again. */
  #cut(end: number, out: string[]): string {
    const rest = this.#pending.slice(end);
    this.#take(end, out);
    this.#begin();
    return rest;
  }

  #take(end: number, out: string[]): void {
    const clause = this.#pending.slice(0, end).replace(/\s+/gu, " ").trim();
    if (!speakable.test(clause)) return;
    this.#cutAny = true;
    out.push(clause);
  }

  #begin(): void {
    this.#pending = "";
    this.#candidate = null;
    this.#dense = false;
    this.#lastSpace = -1;
  }
}
