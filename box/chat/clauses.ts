// Where a reply may be cut so that its beginning is spoken while its end is still being written.

/** The first clause may end at a comma after this many characters: it decides how soon the face speaks. */
const firstSoftChars = 12;
const firstSoftCjkChars = 6;
/** Later clauses end at a comma only when they grow long. */
const softChars = 90;
const softCjkChars = 40;
/** A clause with no stop at all is cut at a space. */
const longestClause = 240;

/** Words whose full stop ends no sentence, lower case, in the call languages written with full stops. */
const abbreviations = new Set(
  (
    "mr mrs ms dr prof sr jr st vs etc e.g i.e inc ltd dept a.m p.m " +
    "sra srta ud uds mme mlle mgr c.-à-d p.ex " +
    "hr fr z.b d.h u.a bzw usw evtl ggf inkl vgl " +
    "sig dott ing avv prof.ssa dra exmo"
  ).split(" "),
);

/** Those that are words of their own as well, and abbreviations only before a number: "No. 5", but "Oh no." */
const numberAbbreviations = new Set(
  "no nr nº núm n vol fig p pp pág pag art sec ch ca approx est max min".split(" "),
);

const hardStops = new Set([".", "!", "?", "…", "。", "！", "？", "।", "॥", "؟"]);
const softStops = new Set([",", ";", ":", "—", "–", "、", "，", "；", "："]);
const closers = new Set(['"', "'", "”", "’", "»", ")", "]", "」", "』", "）"]);
/** Scripts that put no space after a stop. */
const unspaced = new Set(["。", "！", "？", "、", "，", "；", "："]);
const cjk = /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}]/u;
const space = /\s/;

/** Whether the full stop at `index` belongs to a number, an abbreviation or an initial. */
function isInnerStop(text: string, index: number): boolean {
  const word = /\S*$/.exec(text.slice(0, index))?.[0] ?? "";
  const bare = word.replace(/^["'“‘«([]+/, "");
  if (abbreviations.has(bare.toLowerCase())) return true;
  if (numberAbbreviations.has(bare.toLowerCase()) && /^\.\s+\d/.test(text.slice(index))) return true;
  // An initial ("J. Smith") or the number of a list item ("1. ").
  return /^\p{Lu}$/u.test(bare) || (/^\d{1,2}$/.test(bare) && text.slice(0, index).trim() === bare);
}

/** Cuts a stream of text into clauses. Clauses come out trimmed, with their white space collapsed. */
export class ClauseCutter {
  #pending = "";
  #cutAny = false;

  /** Clauses that are certain now: each was followed by the beginning of another. */
  push(text: string): string[] {
    this.#pending += text;
    const out: string[] = [];
    for (let end = this.#boundary(); end !== null; end = this.#boundary()) {
      this.#take(end, out);
    }
    return out;
  }

  /** The rest. */
  flush(): string[] {
    const out: string[] = [];
    this.#take(this.#pending.length, out);
    return out;
  }

  get empty(): boolean {
    return this.#pending.trim() === "";
  }

  #take(end: number, out: string[]): void {
    const clause = this.#pending.slice(0, end).replace(/\s+/g, " ").trim();
    this.#pending = this.#pending.slice(end);
    if (!/[\p{L}\p{N}]/u.test(clause)) return;
    this.#cutAny = true;
    out.push(clause);
  }

  /** The end of the first clause in what is pending, once the text after it shows that it is one. */
  #boundary(): number | null {
    const text = this.#pending;
    const dense = cjk.test(text);
    const softAt = this.#cutAny
      ? dense
        ? softCjkChars
        : softChars
      : dense
        ? firstSoftCjkChars
        : firstSoftChars;
    for (let index = 0; index < Math.min(text.length, longestClause); index++) {
      const character = text[index] ?? "";
      if (character === "\n" && text.slice(0, index).trim() !== "") return index + 1;
      const hard = hardStops.has(character);
      const soft = softStops.has(character) && text.slice(0, index).trim().length >= softAt;
      if (!hard && !soft) continue;
      let end = index + 1;
      // "?!", "..." and closing quotes belong to the clause before them.
      while (end < text.length && (hardStops.has(text[end] ?? "") || closers.has(text[end] ?? ""))) end++;
      if (end >= text.length) return null;
      if (!unspaced.has(character)) {
        if (!space.test(text[end] ?? "")) continue;
        if (text.slice(end).trim() === "") return null;
      }
      if (character === "." && end === index + 1 && isInnerStop(text, index)) continue;
      return end;
    }
    if (text.length <= longestClause) return null;
    const gap = text.lastIndexOf(" ", longestClause);
    return gap > 0 ? gap : longestClause;
  }
}
