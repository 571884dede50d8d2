// What of a reply was heard when it was broken off.

export interface SpokenPart {
  text: string;
  /** Where its speech lies in the utterance, as far as it was made. */
  startMs: number;
  endMs: number;
  /** False while its speech is still being made, or when the voice broke. Left out: true. */
  whole?: boolean;
}

/** Speech of a clause not made to its end is taken to last at least so long, a character. */
const charMs = 60;

/** The words of `parts` that lie before `playedMs`; a clause broken off in the middle counts by whole words. */
export function heardWords(parts: readonly SpokenPart[], playedMs: number): string {
  const words: string[] = [];
  for (const { text, startMs, endMs: madeMs, whole = true } of parts) {
    const endMs = whole ? madeMs : Math.max(madeMs, startMs + text.length * charMs);
    if (playedMs >= endMs) {
      words.push(text);
      continue;
    }
    const share = (playedMs - startMs) / (endMs - startMs);
    if (share > 0) {
      const cut = text.slice(0, Math.floor(text.length * share));
      const complete = /\s/.test(text) ? cut.replace(/\S*$/, "") : cut;
      if (complete.trim() !== "") words.push(complete.trim());
    }
    break;
  }
  return words.join(" ");
}
