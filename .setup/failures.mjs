// Why a check failed, short enough for the end of a log: each failing test by its name with the first lines of its error.

import { existsSync, readFileSync } from "node:fs";
import { stripVTControlCharacters } from "node:util";

/** A CI often keeps no more than the last hundred lines or so. */
const summaryLines = 60;
const columns = 200;
/** Of one failing test; with few of them this leaves out the far end of a stack. */
const linesPerTest = 12;
/** Of a check that names no tests. */
const tailLines = 30;

/**
 * @typedef {{ name: string, lines: string[] }} Failure A test and what it said.
 * @typedef {{ title: string, failures: Failure[], tail: string[] }} FailedCheck `tail`: the last lines it printed.
 */

/** Reads what `failure-reporter.mjs` wrote; nothing where vitest ended before that. */
export function vitestFailures(file) {
  if (!existsSync(file)) return [];
  const failures = JSON.parse(readFileSync(file, "utf8"));
  return failures.map(({ name, lines }) => ({ name, lines: printed(lines.join("\n")) }));
}

/** Reads ctest's JUnit report. */
export function ctestFailures(file) {
  if (!existsSync(file)) return [];
  const cases = readFileSync(file, "utf8").matchAll(/<testcase name="([^"]*)"([^>]*)>(.*?)<\/testcase>/gs);
  return [...cases]
    .filter(([, , attributes]) => /status="(fail|notrun)"/.test(attributes))
    .map(([, name, , body]) => {
      const [, message = ""] = /<failure message="([^"]*)"/.exec(body) ?? [];
      const [, output = ""] = /<system-out>(.*?)<\/system-out>/s.exec(body) ?? [];
      const said = printed(unescaped(output)).filter((line) => !line.startsWith("ok "));
      return { name: unescaped(name), lines: said.length > 0 ? said : printed(unescaped(message)) };
    });
}

/**
 * The lines that end the run. Each check gets an equal part of what those before it left, and each of its tests an equal
 * part of that.
 * @param {FailedCheck[]} checks
 */
export function summary(checks) {
  const lines = ["", "What failed:"];
  for (const [at, { title, failures, tail }] of checks.entries()) {
    const room = Math.floor((summaryLines - lines.length) / (checks.length - at)) - 1;
    if (failures.length === 0) {
      lines.push(`✗ ${title}`, ...printed(tail.join("\n")).slice(-Math.min(tailLines, room)).map(indented));
      continue;
    }
    const named = failures.length > room ? failures.slice(0, room - 1) : failures;
    const each = Math.min(linesPerTest, Math.floor(room / named.length) - 1);
    lines.push(`✗ ${title}: ${failures.length} failed`);
    for (const { name, lines: said } of named) {
      lines.push(cut(`  ✗ ${name}`), ...said.slice(0, Math.max(each, 0)).map((line) => `    ${line}`));
    }
    if (named.length < failures.length) lines.push(`  … and ${failures.length - named.length} more`);
  }
  return lines;
}

function printed(text) {
  return stripVTControlCharacters(text)
    .split(/\r?\n/)
    .filter((line) => line.trim() !== "")
    .map(cut);
}

const cut = (line) => (line.length > columns ? `${line.slice(0, columns - 1)}…` : line);
const indented = (line) => `  ${line}`;

function unescaped(text) {
  const named = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
  return text
    .replace(/&#(x?)([0-9a-f]+);/gi, (_, hex, digits) =>
      String.fromCodePoint(parseInt(digits, hex ? 16 : 10)),
    )
    .replace(/&(lt|gt|quot|apos|amp);/g, (_, name) => named[name]);
}
