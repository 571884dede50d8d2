// Tones that an agent asks for. No standard says how, so each of the ways that are in use is understood.

import { toneSchema, type Tone } from "../../contract/tones.ts";
import type { RoomMessage } from "./connection.ts";

/** Messages whose body may hold one. */
export const toneTopics = ["vv.tone", "lk.control"] as const;
/** Transcriptions carry one beside their words. */
export const transcriptionTopic = "lk.transcription";
const expressionAttribute = "lk.expression";

/** The tone that a message asks for; null where it asks for none, or for one that there is not. */
export function toneOf({ topic, text, attributes }: Omit<RoomMessage, "from">): Tone | null {
  switch (topic) {
    case "vv.tone":
      return known(member(text, "tone"));
    case "lk.control":
      return known(/^\s*emotion:\s*(.*?)\s*$/s.exec(text)?.[1]);
    case transcriptionTopic: {
      const expression = attributes[expressionAttribute];
      return expression === undefined ? null : known(member(expression, "value"));
    }
    default:
      return null;
  }
}

function known(name: unknown): Tone | null {
  const checked = toneSchema.safeParse(typeof name === "string" ? name.toLowerCase() : name);
  return checked.success ? checked.data : null;
}

function member(json: string, name: string): unknown {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === "object" && value !== null
      ? Object.entries(value).find(([key]) => key === name)?.[1]
      : null;
  } catch {
    return null;
  }
}
