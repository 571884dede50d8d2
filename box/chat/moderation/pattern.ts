// A pattern language whose matching takes time in proportion to the text, whatever the pattern and the text are.
// Literals, `.`, classes, `\d \w \s \b` and their opposites, groups, `|`, `? * + {m,n}`, `^` and `$`; nothing that
// needs backtracking. It runs as a set of states, each entered at most once for every character of the text.

import { PatternError, parsePattern, type Node, type Test } from "./pattern-parser.ts";
import type { Span } from "./fold.ts";

type State =
  | { case: "test"; test: Test; next: number }
  | { case: "split"; next: number[] }
  | { case: "assert"; assertion: "start" | "end" | "border" | "inside"; next: number }
  | { case: "match" };

/** Of one pattern, repetitions written out. */
const largestPattern = 1_000;

const wordCharacter = /[\p{L}\p{M}\p{N}_]/u;

/** States that wait for the next character, in order of where their matches began. */
class Threads {
  readonly ids: Int32Array;
  readonly starts: Int32Array;
  count = 0;

  constructor(capacity: number) {
    this.ids = new Int32Array(capacity);
    this.starts = new Int32Array(capacity);
  }

  add(id: number, start: number): void {
    this.ids[this.count] = id;
    this.starts[this.count++] = start;
  }
}

export class Pattern {
  readonly #states: State[] = [];
  readonly #start: number;
  #steps = 0;

  /** Throws PatternError. */
  constructor(source: string) {
    const node = parsePattern(source);
    this.#start = this.#build(node, this.#add({ case: "match" }));
    if (this.#reachesMatch()) throw new PatternError("it would match where there is nothing");
  }

  /** States, which are what a text costs a character. */
  get size(): number {
    return this.#states.length;
  }

  /** States entered so far. */
  get steps(): number {
    return this.#steps;
  }

  /** Spans that together cover every match, in order of their ends. */
  spans(text: readonly string[]): Span[] {
    const found: Span[] = [];
    let current = new Threads(this.#states.length);
    let next = new Threads(this.#states.length);
    const enteredAt = new Int32Array(this.#states.length).fill(-1);
    const stack: number[] = [];
    const enter = (threads: Threads, first: number, start: number, at: number) => {
      stack.push(first);
      for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
        // Whoever was here before began earlier, and covers this one.
        if (enteredAt[id] === at) continue;
        enteredAt[id] = at;
        this.#steps++;
        const state = this.#states[id];
        if (state?.case === "test") threads.add(id, start);
        else if (state?.case === "split") stack.push(...state.next);
        else if (state?.case === "match") {
          if (at > start) found.push({ start, end: at });
        } else if (state && holds(state.assertion, text, at)) stack.push(state.next);
      }
    };
    enter(current, this.#start, 0, 0);
    for (let index = 0; index < text.length; index++) {
      const character = text[index] ?? "";
      next.count = 0;
      for (let thread = 0; thread < current.count; thread++) {
        const state = this.#states[current.ids[thread] ?? 0];
        if (state?.case === "test" && state.test(character))
          enter(next, state.next, current.starts[thread] ?? 0, index + 1);
      }
      enter(next, this.#start, index + 1, index + 1);
      [current, next] = [next, current];
    }
    return found;
  }

  #add(state: State): number {
    if (this.#states.length >= largestPattern) throw new PatternError("it is too large");
    return this.#states.push(state) - 1;
  }

  /** Adds the states of a node; returns the first. */
  #build(node: Node, next: number): number {
    switch (node.case) {
      case "empty":
        return next;
      case "test":
        return this.#add({ case: "test", test: node.test, next });
      case "assert":
        return this.#add({ case: "assert", assertion: node.assertion, next });
      case "sequence":
        return node.nodes.reduceRight((after, part) => this.#build(part, after), next);
      case "either":
        return this.#add({ case: "split", next: node.nodes.map((part) => this.#build(part, next)) });
      case "repeat": {
        let first = next;
        if (node.most === null) {
          const split = this.#add({ case: "split", next: [next] });
          const state = this.#states[split];
          if (state?.case === "split") state.next.push(this.#build(node.node, split));
          first = split;
        } else {
          for (let time = node.least; time < node.most; time++)
            first = this.#add({ case: "split", next: [next, this.#build(node.node, first)] });
        }
        for (let time = 0; time < node.least; time++) first = this.#build(node.node, first);
        return first;
      }
    }
  }

  /** Whether the pattern matches no characters, wherever it is looked for. */
  #reachesMatch(): boolean {
    const seen = new Set<number>();
    const stack = [this.#start];
    for (let id = stack.pop(); id !== undefined; id = stack.pop()) {
      if (seen.has(id)) continue;
      seen.add(id);
      const state = this.#states[id];
      if (state?.case === "match") return true;
      if (state?.case === "split") stack.push(...state.next);
      if (state?.case === "assert") stack.push(state.next);
    }
    return false;
  }
}

function holds(
  assertion: "start" | "end" | "border" | "inside",
  text: readonly string[],
  at: number,
): boolean {
  if (assertion === "start") return at === 0;
  if (assertion === "end") return at === text.length;
  const before = wordCharacter.test(text[at - 1] ?? "");
  const after = wordCharacter.test(text[at] ?? "");
  return (assertion === "border") === (before !== after);
}
