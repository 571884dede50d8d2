// What a session is called while nobody has named it.

import { limits } from "../../contract/limits.ts";
import { asWords } from "../avatars/avatars.ts";

/** Longest automatic title, in characters: one line of a list. */
const titleChars = 60;

/** The beginning of a text on one line, cut between words where it can be. */
export function firstWords(text: string, maxChars: number): string {
  const line = text.replaceAll(/\s+/g, " ").trim();
  const chars = Array.from(line);
  if (chars.length <= maxChars) return line;
  const cut = chars.slice(0, maxChars - 1).join("");
  const atWord = chars[maxChars - 1] === " " ? cut : cut.replace(/ [^ ]*$/, "");
  return `${atWord.trimEnd()}…`;
}

export interface TitleFacts {
  /** The edited title; empty when there is none. */
  edited: string;
  firstUserLine: string | null;
  avatarName: string | null;
  avatarId: string;
}

export function titleOf({ edited, firstUserLine, avatarName, avatarId }: TitleFacts): string {
  const said = firstWords(firstUserLine ?? "", titleChars);
  return edited || said || `Session with ${avatarName ?? asWords(avatarId)}`;
}

export const previewOf = (firstLine: string | null): string =>
  firstWords(firstLine ?? "", limits.sessionPreviewChars);
