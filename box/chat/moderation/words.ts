// A list of words looked for in folded text: whole words, or anywhere in scripts that put no space between words.

import { fold, type Span } from "./fold.ts";

const dense =
  /[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Thai}\p{Script=Lao}\p{Script=Khmer}\p{Script=Myanmar}ー]/u;
const wordCharacter = /[\p{L}\p{M}\p{N}_]/u;
/** Between two words of one phrase: a space, a hyphen, an apostrophe, a line. */
const widestGap = 4;

export const isDense = (character: string) => dense.test(character);

interface Branch {
  next: Map<string, Branch>;
  /** A listed word or phrase ends here. */
  end: boolean;
}

const branch = (): Branch => ({ next: new Map(), end: false });

interface Token extends Span {
  word: string;
}

function tokensOf(text: readonly string[]): Token[] {
  const tokens: Token[] = [];
  let open: Token | null = null;
  for (const [index, character] of text.entries()) {
    if (!wordCharacter.test(character) || isDense(character)) open = null;
    else if (open) {
      open.word += character;
      open.end = index + 1;
    } else {
      open = { word: character, start: index, end: index + 1 };
      tokens.push(open);
    }
  }
  return tokens;
}

export class WordList {
  /** By word. */
  readonly #phrases = branch();
  /** By character. */
  readonly #anywhere = branch();

  constructor(words: readonly string[]) {
    for (const word of words) {
      const characters = [...fold(word)];
      const inDense = characters.some(isDense);
      let at = inDense ? this.#anywhere : this.#phrases;
      const parts = inDense ? characters : tokensOf(characters).map((token) => token.word);
      for (const part of parts) {
        const next = at.next.get(part) ?? branch();
        at.next.set(part, next);
        at = next;
      }
      if (parts.length > 0) at.end = true;
    }
  }

  /** Every place where a listed word stands; the longest at each. */
  spans(text: readonly string[]): Span[] {
    const found: Span[] = [];
    if (this.#anywhere.next.size > 0) {
      for (const start of text.keys()) {
        let end = 0;
        let at: Branch | undefined = this.#anywhere;
        for (let index = start; (at = at.next.get(text[index] ?? "")); index++) if (at.end) end = index + 1;
        if (end > 0) found.push({ start, end });
      }
    }
    const tokens = tokensOf(text);
    for (const [first, { start }] of tokens.entries()) {
      let end = 0;
      let at: Branch | undefined = this.#phrases;
      for (let index = first; ; index++) {
        const token: Token | undefined = tokens[index];
        const before = tokens[index - 1];
        if (!token || (index > first && before && token.start - before.end > widestGap)) break;
        at = at.next.get(token.word);
        if (!at) break;
        if (at.end) end = token.end;
      }
      if (end > 0) found.push({ start, end });
    }
    return found;
  }
}
