// What a tool's answer becomes for the model: text of bounded length.

import { limits } from "../../../contract/limits.ts";

export const cutNote = `\n[The answer was cut: it is longer than ${limits.toolResultChars} characters.]`;
const nothing = "The tool answered with nothing.";

/** Text of at most `limits.toolResultChars` characters; a longer one, or one known to go on, is cut and says so. */
export function boundedText(text: string, { goesOn = false }: { goesOn?: boolean } = {}): string {
  if (!goesOn && text.length <= limits.toolResultChars) {
    const whole = text.toWellFormed();
    return whole.trim() === "" ? nothing : whole;
  }
  const kept = text.slice(0, limits.toolResultChars - cutNote.length);
  // Half of a character at the cut is none.
  return kept.replace(/[\uD800-\uDBFF]$/, "").toWellFormed() + cutNote;
}

/** A value as JSON, bounded; null when it is nested deeper than can be written down. */
export function boundedJson(value: unknown): string | null {
  try {
    return boundedText(JSON.stringify(value) ?? "null");
  } catch {
    return null;
  }
}

/** What a call that got no answer in time brings. */
export function tooLate(timeoutMs: number): string {
  const seconds = Math.ceil(timeoutMs / 1000);
  return `The tool did not answer within ${seconds === 1 ? "a second" : `${seconds} seconds`}.`;
}

export const interruptedCall = "The call was interrupted.";
