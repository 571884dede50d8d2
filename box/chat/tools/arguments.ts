// The arguments a model wrote for a tool, looked at before the tool sees them.

import type { ModelTool } from "../models/model.ts";

/** Longest arguments, in characters of JSON. */
export const argumentChars = 16_384;

/** What is wrong with the arguments, for the model to read; null when the tool may have them. */
export function argumentProblem(tool: Pick<ModelTool, "parameters">, given: unknown): string | null {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return "The arguments must be a JSON object.";
  const text = jsonOf(given);
  if (text === null) return "The arguments are nested too deeply.";
  if (text.length > argumentChars) return `The arguments are longer than ${argumentChars} characters.`;
  const missing = requiredOf(tool.parameters).filter(
    (name) => !Object.hasOwn(given, name) || (given as Record<string, unknown>)[name] === undefined,
  );
  return missing.length === 0 ? null : `Required arguments are missing: ${missing.join(", ")}.`;
}

function requiredOf({ required }: Record<string, unknown>): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

function jsonOf(value: object): string | null {
  try {
    return JSON.stringify(value);
  } catch {
    return null;
  }
}
