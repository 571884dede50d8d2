// What a voice engine is given of a clause: words, without what only eyes can read.

import { languages, type Language } from "../../contract/tones.ts";

/** Characters that belong to the word around them and are not heard: joiners, soft hyphens, marks of direction. */
const unheard = /[\u00AD\u200C-\u200F\u2060\uFEFF]/g;
const unreadable = {
  kanji: /[\p{Script=Han}]+/gu,
  kana: /[\p{Script=Hiragana}\p{Script=Katakana}ー]+/gu,
};

/** Japanese as the built-in voice can read it: kana and figures of ordinary width, no kanji. */
function readableJapanese(text: string): string {
  return (
    text
      .normalize("NFKC")
      .replace(unreadable.kanji, " ")
      // A wave lengthens a vowel, and stands for "to" between figures.
      .replace(/(?<=[\d]\s*)[~〜](?=\s*\d)/g, "から")
      .replace(/(?<=[\p{Script=Hiragana}\p{Script=Katakana}ー])[~〜]+/gu, "ー")
      .replace(/(?<![\p{Script=Hiragana}\p{Script=Katakana}ー])ー+/gu, " ")
      .replace(/[・〜~【】〈〉《》『』「」()]+/g, " ")
  );
}

/**
 * Removes markup, emoji and control characters; links become their host. In a language, what its voice would spell out
 * as foreign characters goes as well. May come out empty.
 */
export function speakable(text: string, language: Language | null = null): string {
  const words = text
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/\bhttps?:\/\/(?:www\.)?([^\s/]+)\S*/gi, "$1")
    .replace(/[*_`#~|<>^\\]+/g, " ")
    // Left in, two brackets would switch espeak-ng to phoneme mnemonics.
    .replace(/[[\]{}]+/g, " ")
    .replace(unheard, "")
    .replace(
      /\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Variation_Selector}|\p{Regional_Indicator}|\p{Me}/gu,
      " ",
    )
    .replace(/[«»]+/g, " ")
    .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\s]+/gu, " ");
  if (language === "ja") return readableJapanese(words).replace(/\s+/g, " ").trim();
  if (language === null) return words.trim();
  return words.replace(unreadable.kanji, " ").replace(unreadable.kana, " ").replace(/\s+/g, " ").trim();
}

/** The language of a text whose script only one call language is written in; null for any other. */
export function languageOfScript(text: string): Language | null {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  const letters = count(/\p{L}/gu);
  // Kanji alone may be Chinese.
  const kana = count(/[\p{Script=Hiragana}\p{Script=Katakana}]/gu);
  if (kana > 0 && (kana + count(/\p{Script=Han}/gu)) * 2 > letters) return "ja";
  return count(/(?=\p{Script=Devanagari})\p{L}/gu) * 2 > letters ? "hi" : null;
}

/** The call language of a tag such as `pt-BR`; null for any other language, and for none. */
export function callLanguageOf(tag: string): Language | null {
  const primary = tag.toLowerCase().split(/[-_]/)[0];
  return languages.find((known) => known === primary) ?? null;
}

/** Silence between this clause and the next, in milliseconds: what a reader's breath would take. */
export function pauseAfterMs(text: string): number {
  const stop = /[.!?…。｡！？।॥؟,;:—–、､，；：](?=["'”’»)\]」』）】〉》]*$)/u.exec(text.trimEnd())?.[0];
  if (!stop) return 60;
  return /[.!?…。｡！？।॥؟]/u.test(stop) ? 240 : 110;
}
