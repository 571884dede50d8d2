// Delivery tags such as `[warm]`: read off a stream of text, never spoken.

import { baseTone, tones, type Tone } from "../../contract/tones.ts";

export interface TonedText {
  text: string;
  tone: Tone;
}

/** A bracket that has not closed after this many characters was no tag. */
const longestTag = 32;

const isTone = (word: string): word is Tone => (tones as readonly string[]).includes(word);

/** A stage direction such as `[laughs softly]`: words only. Numbers and links in brackets are text. */
const direction = /^[\p{L}][\p{L} '-]*$/u;

/** Splits a stream at its tone tags, also where a tag is cut by the border of two pieces. */
export class ToneParser {
  #tone: Tone = baseTone;
  /** An opened bracket and what followed it so far. */
  #bracket = "";

  push(piece: string): TonedText[] {
    const out: TonedText[] = [];
    let text = "";
    const emit = () => {
      if (text !== "") out.push({ text, tone: this.#tone });
      text = "";
    };
    for (const character of piece) {
      if (this.#bracket === "") {
        if (character === "[") this.#bracket = character;
        else text += character;
        continue;
      }
      if (character === "[") {
        text += this.#bracket;
        this.#bracket = character;
        continue;
      }
      this.#bracket += character;
      if (character === "]") {
        const inside = this.#bracket.slice(1, -1).trim();
        const word = inside.toLowerCase();
        if (isTone(word)) {
          emit();
          this.#tone = word;
        } else if (!direction.test(inside)) {
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
    const rest = this.#bracket;
    this.#bracket = "";
    const word = rest.slice(1).trimStart().toLowerCase();
    const unfinishedTag = tones.some((tone) => tone.startsWith(word));
    return rest === "" || unfinishedTag ? [] : [{ text: rest, tone: this.#tone }];
  }
}
