// Delivery tags such as `[warm]`: read off a stream of text, never spoken.

import { baseTone, tones, type Tone } from "../../contract/tones.ts";

export interface TonedText {
  text: string;
  tone: Tone;
}

/** A bracket that has not closed after this many characters was no tag. */
const longestTag = 32;

const isTone = (word: string): word is Tone => (tones as readonly string[]).includes(word);

/** A stage direction such as `[laughs softly]`: words only. Numbers in brackets are text. */
const direction = /^\p{L}[\p{L}\p{M} '’-]*$/u;
/** Wide brackets also set off headings in Japanese and Chinese, so there only Latin words are directions. */
const latinDirection = /^\p{Script=Latin}[\p{Script=Latin}\p{M} '’-]*$/u;

const closing: Record<string, string> = { "[": "]", "【": "】", "［": "］" };

/** The tone that a tag asks for: `[warm]`, `[ Warm ]`, `[tone: warm]`, `[warm, curious]` the first of them. */
function toneOf(inside: string): Tone | null {
  const words = inside
    .normalize("NFKC")
    .toLowerCase()
    .replace(/^\s*(?:tone|emotion|mood)\s*[:=]/u, "")
    .split(/[,/&|]/u)
    .map((word) => word.trim());
  const known = words.find(isTone);
  return known !== undefined && words.every((word) => direction.test(word)) ? known : null;
}

/** Splits a stream at its tone tags, also where a tag is cut by the border of two pieces. */
export class ToneParser {
  #tone: Tone = baseTone;
  /** An opened bracket and what followed it so far. */
  #bracket = "";
  /** The bracket has closed around a direction, unless it is the text of a link. */
  #closed = false;

  push(piece: string): TonedText[] {
    const out: TonedText[] = [];
    let text = "";
    const emit = () => {
      if (text !== "") out.push({ text, tone: this.#tone });
      text = "";
    };
    for (const character of piece) {
      if (this.#closed) {
        // `[words](address)` is a link.
        if (character === "(") text += this.#bracket;
        this.#bracket = "";
        this.#closed = false;
      }
      if (this.#bracket === "") {
        if (closing[character]) this.#bracket = character;
        else text += character;
        continue;
      }
      if (closing[character]) {
        text += this.#bracket;
        this.#bracket = character;
        continue;
      }
      this.#bracket += character;
      const [opening = ""] = this.#bracket;
      if (character === closing[opening]) {
        const inside = this.#bracket.slice(1, -1).trim();
        const tone = toneOf(inside);
        if (tone) {
          emit();
          this.#tone = tone;
        } else if ((opening === "[" ? direction : latinDirection).test(inside)) {
          this.#closed = true;
          continue;
        } else {
          text += this.#bracket;
        }
        this.#bracket = "";
      } else if (character === "\n" || this.#bracket.length > longestTag) {
        text += this.#bracket;
        this.#bracket = "";
      }
    }
    emit();
    return out;
  }

  /** What is left when the stream ends; an unfinished tag is dropped. */
  flush(): TonedText[] {
    const rest = this.#closed ? "" : this.#bracket;
    this.#bracket = "";
    this.#closed = false;
    const word = rest.slice(1).trimStart().toLowerCase();
    const unfinishedTag = tones.some((tone) => tone.startsWith(word));
    return rest === "" || unfinishedTag ? [] : [{ text: rest, tone: this.#tone }];
  }
}
