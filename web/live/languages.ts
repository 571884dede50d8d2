import type { Language } from "../../contract/tones.ts";

const names = new Intl.DisplayNames("en", { type: "language" });

export const languageName = (language: Language): string => names.of(language) ?? language;
