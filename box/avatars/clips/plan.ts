// Which tones an upload gets, and why it gets fewer than were asked for.

import { baseTone, toneSchema, tones as vocabulary, type Tone } from "../../../contract/tones.ts";
import { AvatarError } from "../errors.ts";
import type { ClipTemplate } from "../record.ts";

/** What became of the consent that came with an upload. */
export type ConsentState = "agreed" | "refused" | "missing" | "unknown";

export interface PlanRequest {
  kind: "photo" | "video";
  /** Null: none were named. */
  asked: readonly Tone[] | null;
  /** Tones that have footage of their own. */
  takes: readonly Tone[];
  aiGenerated: boolean;
  /** Who makes clips from a still here; null: nobody. */
  generator: Exclude<ClipTemplate, "footage"> | null;
  consent: ConsentState;
}

export interface Plan {
  coming: { tone: Tone; template: ClipTemplate }[];
  /** Empty when everything that was asked for is coming. */
  note: string;
}

const sentences = {
  off: "This box builds no emotion clips: only the base idle face is coming.",
  undeclared:
    "A video gets tones only from takes of them, or when it is declared as made by AI: only the base idle face is coming.",
  missing: "The tones need a consent_token for this photograph: only the base idle face is coming.",
  refused:
    "The consent_token is not an agreement to exactly this photograph: only the base idle face is coming.",
  unknown:
    "The agreement could not be checked just now: only the base idle face is coming. Ask for its clips again later.",
} as const;

/** Reads the multipart text; null when no tone is named. Throws AvatarError unknown_tone. */
export function parseTones(text: string | undefined): Tone[] | null {
  const names = (text ?? "")
    .split(",")
    .map((name) => name.trim())
    .filter((name) => name !== "");
  return names.length === 0 ? null : [...new Set(names.map(parseTone))];
}

/** Throws AvatarError unknown_tone. */
export function parseTone(name: string): Tone {
  const tone = toneSchema.safeParse(name);
  if (tone.success) return tone.data;
  throw new AvatarError(
    "unknown_tone",
    `There is no tone ${JSON.stringify(name.slice(0, 64))}; there are ${vocabulary.join(", ")}.`,
  );
}

export function planTones(request: PlanRequest): Plan {
  const { kind, asked, generator, aiGenerated } = request;
  const takes = kind === "video" ? request.takes.filter((tone) => tone !== baseTone) : [];
  const wanted = (asked ?? takes).filter((tone) => tone !== baseTone);
  const fromTakes = wanted.filter((tone) => takes.includes(tone));
  const fromStill = wanted.filter((tone) => !takes.includes(tone));
  const coming: Plan["coming"] = fromTakes.map((tone) => ({ tone, template: "footage" }));
  const notes: string[] = [];

  if (kind === "video" && request.takes.length === 0 && !aiGenerated) notes.push(sentences.undeclared);
  else if (fromStill.length > 0) {
    const why = whyNot(request);
    if (generator !== null && why === null)
      coming.push(...fromStill.map((tone) => ({ tone, template: generator })));
    else if (kind === "video" && !aiGenerated)
      notes.push(`There are no takes of ${fromStill.join(", ")}: not coming.`);
    else notes.push(sentences[why ?? "off"]);
  }
  const unnamed = takes.filter((tone) => !wanted.includes(tone));
  if (unnamed.length > 0)
    notes.push(`Takes of tones that were not named are not used: ${unnamed.join(", ")}.`);
  if (kind === "photo" && request.takes.length > 0)
    notes.push("Takes belong to a video; beside a photograph they are not used.");
  return {
    coming: coming.toSorted((a, b) => vocabulary.indexOf(a.tone) - vocabulary.indexOf(b.tone)),
    note: notes.join(" "),
  };
}

/** What keeps tones from being made from the still; null when nothing does. */
function whyNot({ kind, generator, aiGenerated, consent }: PlanRequest): keyof typeof sentences | null {
  if (generator === null) return "off";
  if (kind === "video") return aiGenerated ? null : "undeclared";
  return consent === "agreed" ? null : consent;
}
