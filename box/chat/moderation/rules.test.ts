import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { ConfigError } from "../../config.ts";
import { fold } from "./fold.ts";
import { RulesScreen } from "./rules-screen.ts";
import { parseRules, readRules } from "./rules.ts";

const screenOf = (...rules: object[]) => new RulesScreen(parseRules(JSON.stringify({ rules })));

const words = { name: "insults", words: ["idiot", "shut up", "馬鹿", "don't", "Straße", "हरामी"] };

test.each([
  ["You idiot!", true],
  ["You IDIOT", true],
  ["idiots are many", false],
  ["idiotic", false],
  ["i\u200Bd\u00ADi\u2060ot", true],
  ["ｉｄｉｏｔ", true],
  ["𝓲𝓭𝓲𝓸𝓽", true],
  ["i\u0336d\u0336i\u0336o\u0336t\u0336", true],
  ["あなたはidiotです", true],
  ["idiot_", false],
  ["Just shut   up.", true],
  ["shut-up", true],
  ["shut\nup", true],
  ["shut the door, up there", false],
  ["この馬鹿者", true],
  ["馬と鹿", false],
  ["Don’t", true],
  ["DON'T", true],
  ["STRASSE", true],
  ["तू हरामी है", true],
  ["हरामीपन", false],
])("%s: found is %s", (text, found) => {
  expect(screenOf(words).message(text)).toEqual(
    found ? { text: "", reason: "insults" } : { text, reason: null },
  );
});

test("masked words give way to a mark, the rest stays as it was written", () => {
  const screen = screenOf(
    { ...words, action: "mask" },
    { name: "cards", patterns: ["\\d{4} ?\\d{4}"], action: "mask" },
  );
  expect(screen.message("Ｙｏｕ I\u200BDIOT, この馬鹿め: 1234 5678!")).toEqual({
    text: "Ｙｏｕ …, この…め: …!",
    reason: "insults, cards",
  });
  expect(screen.message("Idiot!")).toEqual({ text: "", reason: "insults" });
  expect(screen.message("😀 idiot 😀é ok")).toEqual({ text: "😀 … 😀é ok", reason: "insults" });
});

test("a rule has its scope", () => {
  const screen = screenOf(
    { words: ["in"], scope: "message" },
    { words: ["out"], scope: "reply" },
    { name: "always", words: ["both"] },
  );
  const found = (text: string) => [screen.message(text).reason, screen.clause(text, {}).reason];
  expect(found("in")).toEqual(["rule 1", null]);
  expect(found("out")).toEqual([null, "rule 2"]);
  expect(found("both")).toEqual(["always", "always"]);
});

test("the border of two clauses hides nothing, within one reply", () => {
  const screen = screenOf(
    { name: "phrase", words: ["very bad"] },
    { name: "masked", patterns: ["so \\w+"], action: "mask" },
  );
  const reply = {};
  expect(screen.clause("This is very", reply).text).toBe("This is very");
  expect(screen.clause("bad, I think, so", reply)).toEqual({ text: "", reason: "phrase" });
  // The clause that was removed is not before the next.
  expect(screen.clause("Fine, so", reply).text).toBe("Fine, so");
  expect(screen.clause("what is it?", reply)).toEqual({ text: "… is it?", reason: "masked" });
  expect(screen.clause("bad", {})).toEqual({ text: "bad", reason: null });
  expect(screen.message("bad").reason).toBeNull();
});

test("a reply of any length costs each clause the same", () => {
  let longest = 0;
  const [rule] = parseRules('{"rules":[{"words":["x"]}]}');
  if (!rule) throw new Error("no rule");
  const screen = new RulesScreen([
    { ...rule, spans: (text) => ((longest = Math.max(longest, text.length)), []) },
  ]);
  const reply = {};
  for (let clause = 0; clause < 1_000; clause++)
    screen.clause("forty characters of words, again and again", reply);
  expect(longest).toBeLessThan(300);
});

test.each<[what: string, file: string, says: RegExp]>([
  ["no JSON", "{", /not JSON/],
  ["another shape", "[]", /the file/],
  ["an unknown field", '{"rules":[{"words":["a"],"secretword":1}]}', /unknown field/],
  ["no words", '{"rules":[{"action":"mask"}]}', /rules\.0.*needs words or patterns/],
  ["a word without letters", '{"rules":[{"words":["ok","!?"]}]}', /rules\.0\.words\.1/],
  ["an unknown action", '{"rules":[{"words":["a"],"action":"secretword"}]}', /rules\.0\.action/],
  ["a name with a line break", '{"rules":[{"name":"a\\nb","words":["a"]}]}', /rules\.0\.name/],
  [
    "a bad pattern",
    '{"rules":[{"words":["a"]},{"patterns":["a","(secretword"]}]}',
    /rules\.1\.patterns\.1.*not closed/,
  ],
  [
    "too much of it",
    JSON.stringify({ rules: [{ patterns: Array.from({ length: 50 }, () => "(?:abc){90}") }] }),
    /together are too large/,
  ],
])("a file with %s is refused in a sentence without its words", (_, file, says) => {
  expect(() => parseRules(file)).toThrow(ConfigError);
  expect(() => parseRules(file)).toThrow(says);
  try {
    parseRules(file);
  } catch (error) {
    expect(String(error)).not.toContain("secretword");
  }
});

test("rules are read from a file; one that is missing or too large is refused", async () => {
  const folder = await mkdtemp(join(tmpdir(), "rules-"));
  try {
    const path = join(folder, "rules.json");
    await expect(readRules(path)).rejects.toThrow("cannot be read");
    await writeFile(path, '\uFEFF{"rules":[{"words":["a"]}]}');
    expect(await readRules(path)).toHaveLength(1);
    await writeFile(path, " ".repeat(1024 * 1024 + 1));
    await expect(readRules(path)).rejects.toThrow("larger than 1 MiB");
  } finally {
    await rm(folder, { recursive: true });
  }
});

test("no text breaks the screen, and what it masks is gone", () => {
  const screen = screenOf({ ...words, action: "mask" });
  const scrap = fc.oneof(
    fc.constantFrom(
      "idiot",
      "IDIOT",
      "馬鹿",
      " ",
      "\u200B",
      "\u0301",
      "\uD83D",
      "ß",
      "İ",
      "ﬁ",
      "shut",
      "up",
      "…",
    ),
    fc.string({ unit: "binary", maxLength: 3 }),
  );
  fc.assert(
    fc.property(fc.array(scrap, { maxLength: 30 }), (parts) => {
      const text = parts.join("");
      const screened = screen.message(text);
      if (screened.reason === null) expect(screened.text).toBe(text);
      expect(fold(screened.text)).not.toMatch(/(?<![\p{L}\p{M}\p{N}_])idiot(?![\p{L}\p{M}\p{N}_])|馬鹿/u);
    }),
    { numRuns: 500 },
  );
});
