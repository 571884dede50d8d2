// What a voice engine is given of a clause: words, without what only eyes can read.

/** Removes markup, emoji and control characters; links become their host. May come out empty. */
export function speakable(text: string): string {
  return (
    text
      .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
      .replace(/\bhttps?:\/\/(?:www\.)?([^\s/]+)\S*/gi, "$1")
      .replace(/[*_`#~|<>^\\]+/g, " ")
      // Left in, two brackets would switch espeak-ng to phoneme mnemonics.
      .replace(/[[\]{}]+/g, " ")
      .replace(/\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Variation_Selector}/gu, " ")
      .replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\s]+/gu, " ")
      .trim()
  );
}

/** Silence between this clause and the next, in milliseconds: what a reader's breath would take. */
export function pauseAfterMs(text: string): number {
  const stop = /[.!?…。！？।॥؟,;:—–、，；：](?=["'”’»)\]」』）]*$)/u.exec(text.trimEnd())?.[0];
  if (!stop) return 60;
  return /[.!?…。！？।॥؟]/u.test(stop) ? 240 : 110;
}
