// What is left of a model's words once what only eyes can read is gone: shown, spoken and kept alike.

/** Verbs of stage directions: `*laughs softly*` is acted, `*really*` is stressed. */
const directions = new RegExp(
  `^(?:${[
    "laugh(?:s|ing)?|smil(?:es?|ing)|sigh(?:s|ing)?|nod(?:s|ding)?|grin(?:s|ning)?|chuckl(?:es?|ing)|giggl(?:es?|ing)",
    "wink(?:s|ing)?|paus(?:es?|ing)|whisper(?:s|ing)?|cough(?:s|ing)?|clear(?:s|ing)? (?:his|her|their|my) throat",
    "clears throat|shrug(?:s|ging)?|gasp(?:s|ing)?|blush(?:es|ing)?|wav(?:es|ing)|bow(?:s|ing)|lean(?:s|ing)",
    "look(?:s|ing)|tilt(?:s|ing)|rais(?:es|ing)|shak(?:es|ing)|beam(?:s|ing)|hum(?:s|ming)|clap(?:s|ping)",
    "sniff(?:s|ing)?|sob(?:s|bing)?|cr(?:ies|ying)|yawn(?:s|ing)?|smirk(?:s|ing)?|frown(?:s|ing)?|think(?:s|ing)",
    "tak(?:es|ing) a (?:deep )?breath|gestur(?:es|ing)",
    "r[íi]e|sonr[íi]e|suspira|asiente|susurra|guiña|rit|sourit|soupire|murmure|hoche|lacht|lächelt|seufzt|nickt",
    "flüstert|zwinkert|ride|sorride|sospira|annuisce|sussurra|ri|sorri|acena|sussurra|pisca",
    "हँसते|हंसते|मुस्कुराते|笑|微笑|ため息|うなず",
  ].join("|")})`,
  "iu",
);

const emoji =
  /(?![#*0-9©®™])(?:\p{Extended_Pictographic}|\p{Emoji_Modifier}|\p{Regional_Indicator}|\u200D(?=\p{Extended_Pictographic})|\uFE0F|\u20E3|[\u{E0020}-\u{E007F}])/gu;

/** One clause without markup, emoji and stage directions; it may come out empty. */
export function plain(text: string): string {
  return (
    text
      .replace(/!?\[([^[\]]{1,500})\]\((?:[^()\s]{1,2000})\)/gu, "$1")
      .replace(/(?<![\p{L}\p{N}*])\*([^*\n]{1,80})\*(?![\p{L}\p{N}*])/gu, (whole, inside: string) =>
        directions.test(inside.trim()) ? " " : whole,
      )
      // A heading, a quotation, an item of a list.
      .replace(/^\s*(?:#{1,6}\s+|>\s+|[-*+•–]\s+)+/u, "")
      .replace(/\*{2,}|~{2,}|`+/g, "")
      .replace(/(?<![\p{L}\p{N}])_{1,3}(?=\S)|(?<=\S)_{1,3}(?![\p{L}\p{N}_])/gu, "")
      .replace(/(?<![\p{L}\p{N}\s])\*(?=\S)|(?<=^|\s)\*(?=\S)|(?<=\S)\*(?=$|[\s\p{P}])/gu, "")
      .replace(emoji, " ")
      .replace(/\s+/gu, " ")
      // An emoji stood before the mark.
      .replace(/(?<=[\p{L}\p{N}]) (?=[.,…](?:\s|$))/gu, "")
      .trim()
  );
}
