// Text as rules see it: one form for what looks or reads the same, and the way back to the text as it was written.

/** Invisible inside a word: zero-width characters, soft hyphens, variation selectors, joiners. */
const invisible = /\p{Cf}|\p{Variation_Selector}|\u034F|\u115F|\u1160|\u3164|\uFFA0/gu;

/** Marks of no script that are left once letters and accents are one: strokes through a word, and the like. */
const strokes = /(?=\p{M})\p{Script=Inherited}/gu;

const clusters = new Intl.Segmenter("und", { granularity: "grapheme" });

/** Compatibility forms and case away. Upper case goes first: ß and SS become one. */
function foldCluster(text: string): string {
  return text
    .normalize("NFKC")
    .replace(invisible, "")
    .toUpperCase()
    .toLowerCase()
    .normalize("NFKC")
    .replace(strokes, "");
}

/** The characters of a text, folded. */
export function fold(text: string): string {
  return new FoldedText(text).characters.join("");
}

export interface Span {
  /** Folded characters; the end is behind the last. */
  start: number;
  end: number;
}

export class FoldedText {
  readonly original: string;
  readonly characters: string[] = [];
  /** Where the cluster that each folded character comes from begins and ends in the original. */
  readonly #from: number[] = [];
  readonly #to: number[] = [];

  constructor(original: string) {
    this.original = original;
    for (const { segment, index } of clusters.segment(original)) {
      for (const character of foldCluster(segment)) {
        this.characters.push(character);
        this.#from.push(index);
        this.#to.push(index + segment.length);
      }
    }
  }

  /** The original with these spans, in any order, each replaced. */
  replaced(spans: readonly Span[], by: string): string {
    let out = "";
    let at = 0;
    for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
      const from = this.#from[start];
      const to = this.#to[end - 1];
      if (from === undefined || to === undefined || to <= at) continue;
      // Two spans that touch are one.
      if (from > at || at === 0) out += this.original.slice(at, from) + by;
      at = to;
    }
    return out + this.original.slice(at);
  }
}
