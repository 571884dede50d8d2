// The rules of a file, applied to messages and to the clauses of a reply.

import { FoldedText, type Span } from "./fold.ts";
import type { Rule } from "./rules.ts";
import type { Screened } from "./screen.ts";
import { isDense } from "./words.ts";

/** What stands for masked words. */
const mask = "…";
/** So much of a reply's clauses is looked at again with the next one, in folded characters. */
const tailCharacters = 200;

const speakable = /[\p{L}\p{N}]/u;

export class RulesScreen {
  readonly #messageRules: Rule[];
  readonly #replyRules: Rule[];
  /** The end of what passed of each reply. */
  readonly #tails = new WeakMap<object, readonly string[]>();

  constructor(rules: readonly Rule[]) {
    this.#messageRules = rules.filter(({ scope }) => scope !== "reply");
    this.#replyRules = rules.filter(({ scope }) => scope !== "message");
  }

  message(text: string): Screened {
    return this.#apply(this.#messageRules, text, []);
  }

  /** `reply`: any object that is the same for the clauses of one reply, whose borders hide no words then. */
  clause(text: string, reply: object): Screened {
    if (this.#replyRules.length === 0) return { text, reason: null };
    const tail = this.#tails.get(reply) ?? [];
    const screened = this.#apply(this.#replyRules, text, tail);
    const passed = new FoldedText(screened.text).characters;
    this.#tails.set(reply, join(tail, passed).slice(-tailCharacters));
    return screened;
  }

  #apply(rules: readonly Rule[], text: string, tail: readonly string[]): Screened {
    const folded = new FoldedText(text);
    const whole = join(tail, folded.characters);
    const lead = whole.length - folded.characters.length;
    const masked: Span[] = [];
    const names = new Set<string>();
    for (const rule of rules) {
      // What lies in earlier clauses alone was judged with them.
      const spans = rule.spans(whole).filter(({ end }) => end > lead);
      if (spans.length === 0) continue;
      if (rule.action === "remove") return { text: "", reason: rule.name };
      names.add(rule.name);
      for (const { start, end } of spans)
        masked.push({ start: Math.max(start, lead) - lead, end: end - lead });
    }
    if (names.size === 0) return { text, reason: null };
    const left = folded.replaced(masked, mask);
    return { text: speakable.test(left) ? left : "", reason: [...names].join(", ") };
  }
}

/** Two stretches of folded text as they would be read one after the other. */
function join(before: readonly string[], after: readonly string[]): string[] {
  const last = before.at(-1);
  const [first] = after;
  const apart = last !== undefined && first !== undefined && !(isDense(last) && isDense(first));
  return [...before, ...(apart ? [" "] : []), ...after];
}
