import { tones } from "../../contract/tones.ts";
import type { Settings } from "../../contract/settings.ts";

const spokenStyle =
  "Everything you write is spoken aloud at once by a voice engine: write plain spoken sentences, no markup, no lists, " +
  "no emoji, and begin with a short clause.";

const toneRules =
  `Begin your reply with exactly one delivery tag in square brackets, chosen from ${tones.map((tone) => `[${tone}]`).join(" ")}, ` +
  "and put another one in only where the feeling really changes. Tags are never spoken. Use square brackets for nothing else.";

/** The persona's own words first, then how its replies reach the listener. */
export function systemPrompt(settings: Pick<Settings, "system_prompt" | "emotion_responsive">): string {
  return [settings.system_prompt, spokenStyle, settings.emotion_responsive ? toneRules : ""]
    .filter((part) => part.trim() !== "")
    .join("\n\n");
}
