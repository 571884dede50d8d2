// The file of moderation rules: read and checked whole before the box starts.

import { readFile, stat } from "node:fs/promises";
import { z } from "zod";
import { ConfigError } from "../../config.ts";
import { fold, type Span } from "./fold.ts";
import { PatternError } from "./pattern-parser.ts";
import { Pattern } from "./pattern.ts";
import { WordList } from "./words.ts";

const variable = "MODERATION_RULES";
const largestFileBytes = 1024 * 1024;
/** States of all patterns together: what each character of a text may cost. */
const largestPatterns = 2_000;

const ruleSchema = z
  .strictObject({
    name: z
      .string()
      .regex(/^[\p{L}\p{N}][\p{L}\p{N} _-]{0,39}$/u, "must be up to 40 letters, digits, spaces and dashes")
      .optional(),
    words: z.array(z.string().min(1).max(100)).min(1).max(10_000).optional(),
    patterns: z.array(z.string().min(1)).min(1).max(200).optional(),
    action: z.enum(["remove", "mask"]).default("remove"),
    scope: z.enum(["message", "reply", "both"]).default("both"),
  })
  .refine(({ words, patterns }) => words ?? patterns, "needs words or patterns");
const fileSchema = z.strictObject({ rules: z.array(ruleSchema).max(500) });

export interface Rule {
  name: string;
  action: "remove" | "mask";
  scope: "message" | "reply" | "both";
  /** Where it applies, in folded characters. */
  spans(text: readonly string[]): Span[];
}

/** Checks what a file of rules holds. Throws ConfigError, which names places and never words. */
export function parseRules(text: string): Rule[] {
  let json: unknown;
  try {
    json = JSON.parse(text);
  } catch {
    throw new ConfigError([`${variable}: the file is not JSON.`]);
  }
  const parsed = fileSchema.safeParse(json);
  if (!parsed.success)
    throw new ConfigError(
      parsed.error.issues.map(
        ({ path, message, code }) =>
          // Names of unknown fields and rejected values may be words of the list.
          `${variable}: ${path.join(".") || "the file"}: ${code === "unrecognized_keys" ? "has an unknown field" : message}.`,
      ),
    );
  const problems: string[] = [];
  let states = 0;
  const rules = parsed.data.rules.map(({ name, words = [], patterns = [], action, scope }, index): Rule => {
    const at = `${variable}: rules.${index}`;
    for (const [number, word] of words.entries())
      if (!/[\p{L}\p{N}]/u.test(fold(word)))
        problems.push(`${at}.words.${number}: must hold a letter or a digit.`);
    const compiled = patterns.flatMap((source, number) => {
      try {
        return [new Pattern(source)];
      } catch (error) {
        if (!(error instanceof PatternError)) throw error;
        problems.push(`${at}.patterns.${number}: ${error.message}.`);
        return [];
      }
    });
    states += compiled.reduce((sum, { size }) => sum + size, 0);
    const list = new WordList(words);
    return {
      name: name ?? `rule ${index + 1}`,
      action,
      scope,
      spans: (characters) => [
        ...list.spans(characters),
        ...compiled.flatMap((pattern) => pattern.spans(characters)),
      ],
    };
  });
  if (states > largestPatterns) problems.push(`${variable}: its patterns together are too large.`);
  if (problems.length > 0) throw new ConfigError(problems);
  return rules;
}

/** Rejects with ConfigError. */
export async function readRules(path: string): Promise<Rule[]> {
  let text: string;
  try {
    const { size } = await stat(path);
    if (size > largestFileBytes) throw new ConfigError([`${variable}: the file is larger than 1 MiB.`]);
    text = await readFile(path, "utf8");
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    throw new ConfigError([`${variable}: the file cannot be read.`]);
  }
  return parseRules(text.replace(/^\uFEFF/, ""));
}
