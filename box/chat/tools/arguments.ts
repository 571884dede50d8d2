// The arguments a model wrote for a tool, looked at before the tool sees them.

import type { ModelTool } from "../models/model.ts";

/** Longest arguments, in characters of JSON. */
export const argumentChars = 16_384;
/** Objects and arrays within one another; deeper ones cannot be written down again everywhere. */
export const argumentLevels = 64;

/** What is wrong with the arguments, for the model to read; null when the tool may have them. */
export function argumentProblem(tool: Pick<ModelTool, "parameters">, given: unknown): string | null {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    return "The arguments must be a JSON object.";
  if (!isWithin(given, argumentLevels))
    return `The arguments are nested more than ${argumentLevels} levels deep.`;
  if (JSON.stringify(given).length > argumentChars)
    return `The arguments are longer than ${argumentChars} characters.`;
  const missing = requiredOf(tool.parameters).filter(
    (name) => !Object.hasOwn(given, name) || (given as Record<string, unknown>)[name] === undefined,
  );
  return missing.length === 0 ? null : `Required arguments are missing: ${missing.join(", ")}.`;
}

function requiredOf({ required }: Record<string, unknown>): string[] {
  return Array.isArray(required) ? required.filter((name) => typeof name === "string") : [];
}

/** It loops where others recurse: the depth is the model's choice, and a stack is not endless. */
function isWithin(value: object, levels: number): boolean {
  let level: object[] = [value];
  for (let left = levels; level.length > 0; left--) {
    if (left === 0) return false;
    level = level.flatMap((container) =>
      Object.values(container).filter((inner: unknown) => typeof inner === "object" && inner !== null),
    );
  }
  return true;
}
