// Custom tools of a persona, and the lines it says while one runs.

import { z } from "zod";
import { limits } from "./limits.ts";
import { languageSchema } from "./tones.ts";

export const toolNameSchema = z.string().regex(/^[a-z][a-z0-9_]{0,63}$/);

/** The tools every persona has; a custom one may not take their names. */
export const builtinTools: readonly string[] = [
  "end_call",
  "skip_turn",
  "pause_conversation",
  "set_language",
];

/** Shortened words in the eight call languages whose full stop ends no sentence. */
const abbreviation =
  /(?:^|\()(?:dr|drs|mr|mrs|ms|mx|mme|mlle|st|sr|sra|srta|prof|hr|fr|sig|no|nr|vs|e\.g|i\.e|z\.b|\p{L})\.$/iu;
/** The last word of a sentence in a script with capitals, and the first of another. */
const lastWord = /[.!?…][)"'”’»]*$/;
const firstWord = /^["'“‘«¿¡(]*[\p{Lu}\p{Lo}]/u;
/** The boundary in scripts without: Japanese full stops need no space behind them, nor does the danda. */
const wideBoundary = /[。！？।][」』”"]*\s*[\p{L}\p{N}]/u;

/**
 * Whether a second sentence begins anywhere in a line. Takes time in proportion to the line: words are looked at one by
 * one, and no pattern can begin a long match at more than one place of a word.
 */
export function hasSecondSentence(line: string): boolean {
  if (wideBoundary.test(line)) return true;
  const words = line.split(/\s+/);
  return words.some(
    (word, at) => lastWord.test(word) && !abbreviation.test(word) && firstWord.test(words[at + 1] ?? ""),
  );
}

/** What is too long is looked at no further. */
const toolPhraseSchema = z
  .string()
  .trim()
  .min(1)
  .refine((line) => Array.from(line).length <= limits.toolPhraseChars, {
    message: `must be at most ${limits.toolPhraseChars} characters`,
    abort: true,
  })
  .regex(/^[^<>[\]\n\r]*$/, "must be one sentence without angle or square brackets")
  .refine((line) => !hasSecondSentence(line), { message: "must be one sentence" });

/** `{tool_name: {language: line}}`. */
export const toolPhrasesSchema = z
  .record(toolNameSchema, z.partialRecord(languageSchema, toolPhraseSchema))
  .refine((phrases) => Object.keys(phrases).length <= limits.toolPhraseTools, {
    message: `at most ${limits.toolPhraseTools} tools may have phrases`,
  })
  .refine((phrases) => !("skip_turn" in phrases), {
    message: "skip_turn is silent on purpose and cannot have a phrase",
  });

/** The Messages API refuses a tool whose parameters are called otherwise. */
const parameterName = /^[a-zA-Z0-9_.-]{1,64}$/;

const isContainer = (value: unknown) => typeof value === "object" && value !== null;

/**
 * Whether at most so many objects and arrays lie within one another, the outermost included. It loops where others
 * recurse: the depth is the caller's choice, and a stack is not endless.
 */
function isNestedWithin(value: unknown, levels: number): boolean {
  let level = [value].filter(isContainer);
  for (let left = levels; level.length > 0; left -= 1) {
    if (left === 0) return false;
    level = level.flatMap((container) => Object.values(container as object).filter(isContainer));
  }
  return true;
}

/** A JSON Schema of an object, as far as a model host looks into it; other keywords are kept as they are. */
const parametersSchema = z
  .looseObject({
    type: z.literal("object"),
    properties: z.record(z.string().regex(parameterName), z.looseObject({})).optional(),
    required: z.array(z.string()).optional(),
  })
  .refine(({ properties = {}, required = [] }) => required.every((name) => Object.hasOwn(properties, name)), {
    message: "requires what is not among its properties",
    path: ["required"],
  })
  .refine((schema) => isNestedWithin(schema, limits.toolParametersLevels), {
    message: `must be nested at most ${limits.toolParametersLevels} levels deep`,
    abort: true,
  })
  .refine((schema) => JSON.stringify(schema).length <= limits.toolParametersChars, {
    message: `must be at most ${limits.toolParametersChars} characters of JSON`,
  });

function carriesCredentials(text: string): boolean {
  const url = URL.parse(text);
  return url !== null && (url.username !== "" || url.password !== "");
}

export const toolDefinitionSchema = z.strictObject({
  name: toolNameSchema,
  description: z.string().min(1).max(1024),
  parameters: parametersSchema,
  mode: z.enum(["await_result", "fire_and_forget"]).default("await_result"),
  timeout_seconds: z.int().min(1).max(60).default(10),
  enabled: z.boolean().default(true),
  endpoint: z
    .url({ protocol: /^https$/ })
    .max(limits.toolEndpointChars)
    .refine((text) => !carriesCredentials(text), { message: "must not carry a user name or a password" })
    .optional(),
});
export type ToolDefinition = z.infer<typeof toolDefinitionSchema>;
