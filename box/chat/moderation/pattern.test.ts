import * as fc from "fast-check";
import { expect, test } from "vitest";
import { fold } from "./fold.ts";
import { PatternError } from "./pattern-parser.ts";
import { Pattern } from "./pattern.ts";

/** What a pattern covers of a text, as a row of marks. */
function covered(spans: readonly { start: number; end: number }[], length: number): string {
  const marks = Array.from({ length }, () => "-");
  for (const { start, end } of spans) marks.fill("x", start, end);
  return marks.join("");
}

const run = (source: string, text: string) => {
  const characters = [...fold(text)];
  return covered(new Pattern(source).spans(characters), characters.length);
};

test.each([
  ["bad", "a bad one", "--xxx----"],
  ["BAD", "a Bad one", "--xxx----"],
  ["\\bbad\\b", "badly bad", "------xxx"],
  ["ba+d", "bd bad baaad", "---xxx-xxxxx"],
  ["\\d{4}-?\\d{2}", "in 1234-56 and 123456", "---xxxxxxx-----xxxxxx"],
  ["a|bc", "abcb", "xxx-"],
  ["(?:ab){2,3}", "abab ab", "xxxx---"],
  ["[a-c]+", "xABCx", "-xxx-"],
  ["[^a-c ]", "abx c", "--x--"],
  ["[A-C]x", "bx", "xx"],
  ["^no", "no no", "xx---"],
  ["no$", "no no", "---xx"],
  ["a.c", "abc a\nc", "xxx----"],
  ["a\\.c", "abc a.c", "----xxx"],
  ["\\w+@\\w+", "to me@home now", "---xxxxxxx----"],
  ["straße", "STRASSE", "xxxxxxx"],
  ["é", "E\u0301", "x"],
  ["馬鹿", "この馬鹿め", "--xx-"],
  ["b\\Bc", "bc", "xx"],
  ["(a|ab)(c|bcd)", "abcd", "xxxx"],
])("%s in %s", (source, text, marks) => {
  expect(run(source, text)).toBe(marks);
});

test.each([
  "(",
  ")",
  "[",
  "[]",
  "a**",
  "a+?",
  "*a",
  "{2}",
  "a{2",
  "a{101}",
  "a{3,2}",
  "\\",
  "\\1",
  "\\p{L}",
  "(?=a)",
  "(?<n>a)",
  "[z-a]",
  "a*",
  "",
  "\\b",
  "^$",
  "(a{100}){100}",
  "((((a{50}){50}){50}){50})",
  "(".repeat(50),
  "a".repeat(501),
  "[\\d-z]x[",
])("%s is refused, without being repeated", (source) => {
  const refused = (() => {
    try {
      return new Pattern(source);
    } catch (error) {
      return error;
    }
  })();
  expect(refused).toBeInstanceOf(PatternError);
  if (source.length > 5) expect(String(refused)).not.toContain(source);
});

test("it covers exactly what every possible match covers", () => {
  const source = fc.letrec<{ node: string; leaf: string }>((tie) => ({
    leaf: fc.constantFrom("a", "b", ".", "[ab]", "[^a]", "ab", "\\w"),
    node: fc.oneof(
      { maxDepth: 4 },
      tie("leaf"),
      fc.tuple(tie("node"), tie("node")).map(([left, right]) => `(?:${left}|${right})`),
      fc.tuple(tie("node"), tie("node")).map(([left, right]) => left + right),
      fc
        .tuple(tie("node"), fc.constantFrom("*", "+", "?", "{2}", "{1,2}", "{0,1}", "{2,}"))
        .map(([inner, times]) => `(?:${inner})${times}`),
    ),
  })).node;
  fc.assert(
    fc.property(source, fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 7 }), (pattern, text) => {
      let mine: Pattern;
      try {
        mine = new Pattern(pattern);
      } catch (error) {
        // Only what would match nothing may be refused.
        expect(String(error)).toMatch(/nothing|too large/);
        return;
      }
      const whole = new RegExp(`^(?:${pattern})$`, "u");
      const all: { start: number; end: number }[] = [];
      for (let start = 0; start < text.length; start++)
        for (let end = start + 1; end <= text.length; end++)
          if (whole.test(text.slice(start, end).join(""))) all.push({ start, end });
      expect(covered(mine.spans(text), text.length)).toBe(covered(all, text.length));
    }),
    { numRuns: 500 },
  );
});

test.each(["(a+)+c", "(?:a|a)*c", "(?:a|aa)+c", "(a*)*c", "(.*)(.*)(.*)c", "a{50}a{50}c"])(
  "%s, which ruins a backtracking engine, enters each state at most once a character",
  (source) => {
    const text = [...`${"a".repeat(20_000)}b`];
    const pattern = new Pattern(source);
    expect(pattern.spans(text)).toEqual([]);
    expect(pattern.steps).toBeLessThanOrEqual(pattern.size * (text.length + 1));
    expect(pattern.size).toBeLessThan(200);
  },
);
