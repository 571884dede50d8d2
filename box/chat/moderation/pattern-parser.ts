// Reads a pattern into a tree. What the language has not is refused by name, never taken for something else.

import { fold } from "./fold.ts";

export type Test = (character: string) => boolean;

export type Node =
  | { case: "empty" }
  | { case: "test"; test: Test }
  | { case: "assert"; assertion: "start" | "end" | "border" | "inside" }
  | { case: "sequence"; nodes: Node[] }
  | { case: "either"; nodes: Node[] }
  | { case: "repeat"; node: Node; least: number; most: number | null };

/** Says what is wrong with a pattern, without the pattern. */
export class PatternError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "PatternError";
  }
}

const longestPattern = 500;
const mostRepetitions = 100;
const deepestGroups = 20;

const classes: Partial<Record<string, RegExp>> = {
  d: /\p{Nd}/u,
  w: /[\p{L}\p{M}\p{N}_]/u,
  s: /\s/u,
};

function classOf(letter: string): Test | null {
  const known = classes[letter.toLowerCase()];
  if (!known) return null;
  const inverse = letter !== letter.toLowerCase();
  return (character) => known.test(character) !== inverse;
}

/** Throws PatternError. */
export function parsePattern(source: string): Node {
  return new Parser(source).whole();
}

class Parser {
  readonly #characters: string[];
  #at = 0;
  #depth = 0;

  constructor(source: string) {
    this.#characters = [...source.normalize("NFC")];
    if (this.#characters.length > longestPattern) throw new PatternError("it is too long");
  }

  whole(): Node {
    const node = this.#either();
    if (this.#at < this.#characters.length) throw new PatternError("a ) closes nothing");
    return node;
  }

  get #next(): string | undefined {
    return this.#characters[this.#at];
  }

  #take(character: string): boolean {
    if (this.#next !== character) return false;
    this.#at++;
    return true;
  }

  #either(): Node {
    const nodes = [this.#sequence()];
    while (this.#take("|")) nodes.push(this.#sequence());
    return nodes.length === 1 && nodes[0] ? nodes[0] : { case: "either", nodes };
  }

  #sequence(): Node {
    const nodes: Node[] = [];
    while (this.#next !== undefined && this.#next !== "|" && this.#next !== ")") nodes.push(this.#repeated());
    return nodes.length === 0 ? { case: "empty" } : { case: "sequence", nodes };
  }

  #repeated(): Node {
    const node = this.#one();
    const times = this.#times();
    if (!times) return node;
    if (this.#next === "?" || this.#next === "+")
      throw new PatternError("lazy and possessive repetitions are not supported");
    if (this.#times()) throw new PatternError("a repetition follows a repetition");
    return { case: "repeat", node, ...times };
  }

  #times(): { least: number; most: number | null } | null {
    if (this.#take("*")) return { least: 0, most: null };
    if (this.#take("+")) return { least: 1, most: null };
    if (this.#take("?")) return { least: 0, most: 1 };
    if (!this.#take("{")) return null;
    const end = this.#characters.indexOf("}", this.#at);
    const match = /^(\d{1,4})(?:(,)(\d{1,4})?)?$/.exec(
      this.#characters.slice(this.#at, end === -1 ? this.#at : end).join(""),
    );
    if (!match) throw new PatternError("{ must be followed by a number of repetitions");
    this.#at = end + 1;
    const least = Number(match[1]);
    const most = match[2] ? (match[3] === undefined ? null : Number(match[3])) : least;
    if (Math.max(least, most ?? 0) > mostRepetitions || (most !== null && most < least))
      throw new PatternError(`a repetition must be of at most ${mostRepetitions}, the smaller number first`);
    return { least, most };
  }

  #one(): Node {
    const character = this.#characters[this.#at++] ?? "";
    switch (character) {
      case "(":
        return this.#group();
      case "[":
        return { case: "test", test: this.#set() };
      case ".":
        return { case: "test", test: (other) => other !== "\n" };
      case "^":
        return { case: "assert", assertion: "start" };
      case "$":
        return { case: "assert", assertion: "end" };
      case "\\":
        return this.#escaped();
      case "*":
      case "+":
      case "?":
      case "{":
        throw new PatternError("a repetition has nothing to repeat");
      default:
        return literal(character);
    }
  }

  #group(): Node {
    if (this.#take("?") && !this.#take(":"))
      throw new PatternError("only plain and (?: groups are supported");
    if (++this.#depth > deepestGroups) throw new PatternError("its groups are too deep");
    const node = this.#either();
    if (!this.#take(")")) throw new PatternError("a ( is not closed");
    this.#depth--;
    return node;
  }

  #escaped(): Node {
    const letter = this.#characters[this.#at++];
    if (letter === undefined) throw new PatternError("it ends with a backslash");
    if (letter === "b") return { case: "assert", assertion: "border" };
    if (letter === "B") return { case: "assert", assertion: "inside" };
    const known = classOf(letter);
    if (known) return { case: "test", test: known };
    return literal(escapedLiteral(letter));
  }

  #set(): Test {
    const inverse = this.#take("^");
    const tests: Test[] = [];
    while (!this.#take("]")) {
      const first = this.#member();
      if (typeof first === "string" && this.#next === "-" && this.#characters[this.#at + 1] !== "]") {
        this.#at++;
        const last = this.#member();
        if (typeof last !== "string" || last < first) throw new PatternError("a range in [ ] has no order");
        const [low, high] = [first.codePointAt(0) ?? 0, last.codePointAt(0) ?? 0];
        tests.push((character) => {
          const within = (code: number) => code >= low && code <= high;
          return within(character.codePointAt(0) ?? -1) || within(upper(character).codePointAt(0) ?? -1);
        });
      } else if (typeof first === "string") {
        const folded = fold(first);
        tests.push((character) => character === folded || character === first);
      } else {
        tests.push(first);
      }
    }
    if (tests.length === 0) throw new PatternError("[ ] is empty");
    return (character) => tests.some((test) => test(character)) !== inverse;
  }

  #member(): string | Test {
    const character = this.#characters[this.#at++];
    if (character === undefined) throw new PatternError("a [ is not closed");
    if (character !== "\\") return character;
    const letter = this.#characters[this.#at++];
    if (letter === undefined) throw new PatternError("it ends with a backslash");
    return classOf(letter) ?? escapedLiteral(letter);
  }
}

/** A character's upper case, where that is one character. */
function upper(character: string): string {
  const other = character.toUpperCase();
  return [...other].length === 1 ? other : character;
}

function escapedLiteral(letter: string): string {
  if (letter === "n") return "\n";
  if (letter === "t") return "\t";
  // Letters and digits have meanings elsewhere that this language has not.
  if (/[\p{L}\p{N}]/u.test(letter)) throw new PatternError("it holds an escape that is not supported");
  return letter;
}

/** Texts are folded before they are looked at, so a literal is as well. */
function literal(character: string): Node {
  const nodes = [...(fold(character) || character)].map((one): Node => ({
    case: "test",
    test: (other) => other === one,
  }));
  return nodes.length === 1 && nodes[0] ? nodes[0] : { case: "sequence", nodes };
}
