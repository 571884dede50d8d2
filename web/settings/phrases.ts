// What is said while a tool works, as rows of a form.

import { limits } from "../../contract/limits.ts";
import type { Settings } from "../../contract/settings.ts";
import { type Language, languages } from "../../contract/tones.ts";

export interface PhraseDraft {
  /** The tool's name. */
  tool: string;
  lines: Readonly<Record<Language, string>>;
}

export const languageNames: Record<Language, string> = {
  en: "English",
  es: "Spanish",
  fr: "French",
  de: "German",
  it: "Italian",
  pt: "Portuguese",
  hi: "Hindi",
  ja: "Japanese",
};

/** What a tool may be called; the contract's rule for names, phrases' and definitions' alike. */
export const toolNamePattern = /^[a-z][a-z0-9_]{0,63}$/;
export const toolNameHelp = "Lower-case letters, digits and underscores; a letter first.";

export function emptyPhrase(tool = ""): PhraseDraft {
  return {
    tool,
    lines: Object.fromEntries(languages.map((language) => [language, ""])) as PhraseDraft["lines"],
  };
}

export function phrasesOf(phrases: Settings["tool_phrases"]): PhraseDraft[] {
  return Object.entries(phrases).map(([tool, lines]) => {
    const empty = emptyPhrase(tool);
    return { ...empty, lines: { ...empty.lines, ...lines } };
  });
}

function problemWithLine(line: string): string | null {
  if (Array.from(line).length > limits.toolPhraseChars) {
    return `At most ${limits.toolPhraseChars} characters.`;
  }
  return /[<>[\]]/.test(line) ? "No angle or square brackets." : null;
}

function problemWithName(tool: string, earlier: readonly string[]): string | null {
  if (tool === "") return "Name the tool.";
  if (tool === "skip_turn") return "skip_turn is silent on purpose and has no phrase.";
  if (!toolNamePattern.test(tool)) return toolNameHelp;
  return earlier.includes(tool) ? "This tool has phrases already." : null;
}

/** Lines that are left empty are not sent; a row without any is no row. */
export function phrasesFrom(drafts: readonly PhraseDraft[]): {
  phrases: Settings["tool_phrases"];
  problems: Record<string, string>;
} {
  const phrases: Settings["tool_phrases"] = {};
  const problems: Record<string, string> = {};
  for (const [index, draft] of drafts.entries()) {
    const tool = draft.tool.trim();
    const lines = Object.entries(draft.lines).filter(([, line]) => line.trim() !== "");
    if (tool === "" && lines.length === 0) continue;
    const wrongName = problemWithName(tool, Object.keys(phrases));
    if (wrongName) problems[`tool_phrases.${index}.tool`] = wrongName;
    if (lines.length === 0) problems[`tool_phrases.${index}.tool`] ??= "Write at least one line.";
    for (const [language, line] of lines) {
      const wrong = problemWithLine(line.trim());
      if (wrong) problems[`tool_phrases.${index}.${language}`] = wrong;
    }
    if (lines.length > 0) {
      phrases[tool] = Object.fromEntries(lines.map(([language, line]) => [language, line.trim()]));
    }
  }
  return { phrases, problems };
}
