// Every call language's words.

import type { Language } from "../../../contract/tones.ts";
import { english } from "./english.ts";
import { french } from "./french.ts";
import { german } from "./german.ts";
import { hindi } from "./hindi.ts";
import { italian } from "./italian.ts";
import { japanese } from "./japanese.ts";
import { portuguese } from "./portuguese.ts";
import { spanish } from "./spanish.ts";
import type { LanguageWords } from "./words.ts";

export const wordsOf: Record<Language, LanguageWords> = {
  en: english,
  es: spanish,
  fr: french,
  de: german,
  it: italian,
  pt: portuguese,
  hi: hindi,
  ja: japanese,
};
