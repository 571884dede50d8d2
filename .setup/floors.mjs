// The table at the end of a benchmark: each figure, its peer in the same run, its floor, and whether it holds.

import { SetupError } from "./report.mjs";

/**
 * The parts that words name, in their own order; all of them without a word.
 * @param {string[]} words
 * @param {string[]} parts
 * @throws {SetupError} for a word that names none.
 */
export function chosenParts(words, parts) {
  const unknown = words.filter((word) => !parts.includes(word));
  if (unknown.length > 0)
    throw new SetupError(`There is no part "${unknown.join('", "')}": ${parts.join(", ")}.`);
  return words.length === 0 ? parts : parts.filter((name) => words.includes(name));
}

/**
 * @typedef {object} Row
 * @property {string} name
 * @property {number | null} value
 * @property {string} [unit]
 * @property {number} [atLeast]
 * @property {number} [atMost]
 * @property {string} [peer] What stands beside it, measured in the same run.
 * @property {number} [peerValue]
 */

/**
 * Rows from the lines that a part's programs print: lines of JSON that say so themselves, and the tables of programs that
 * print for people.
 * @returns {{ take(part: string, line: string): boolean, ended(part: string): void, rows: Row[] }} take: whether the line
 *   was a row and no more; ended: a part whose rows have floors is over, and one that gave none gets a row that is missed.
 */
export function collectRows() {
  /** @type {Row[]} */
  const rows = [];
  /** Parts with a row that has a floor. */
  const measured = new Set();
  const add = (part, row) => {
    rows.push(row);
    if (hasFloor(row)) measured.add(part);
  };
  let clip = "";
  let ours = null;
  const parse = {
    warp(line) {
      if (!line.startsWith("{")) return;
      const { size, framing, contender, ms_per_frame: ms, times_faster: times, floor } = JSON.parse(line);
      if (contender !== "opencv_remap_bgr" && contender !== "opencv_remap_i420") return;
      const name = `warp ${size}, ${framing}: times faster than ${contender.replaceAll("_", " ")}`;
      add("warp", {
        name,
        value: times,
        unit: "×",
        atLeast: floor,
        peer: "ms a frame",
        peerValue: ms,
      });
    },
    encode(line) {
      const size = /^(\d+x\d+), /.exec(line);
      if (size) clip = size[1];
      const row = /^\s+(visavis|libx264 superfast[^\d]*\d+)\s+([\d.]+)\s+[\d.]+\s+[\d.]+\s+([\d.]+)$/.exec(
        line,
      );
      if (!row) return;
      if (row[1] === "visavis") ours = Number(row[2]);
      else
        add("encode", {
          name: `encode ${clip}: a frame`,
          value: ours,
          unit: "ms",
          peer: "x264 superfast",
          peerValue: Number(row[2]),
        });
    },
  };
  return {
    rows,
    take(part, line) {
      if (line.startsWith('{"row"')) {
        add(part, JSON.parse(line));
        return true;
      }
      parse[part]?.(line);
      return false;
    },
    ended(part) {
      if (!measured.has(part)) add(part, { name: `${part}: figures with a floor`, value: 0, atLeast: 1 });
    },
  };
}

const hasFloor = ({ atLeast, atMost }) => atLeast !== undefined || atMost !== undefined;

const format = (value) => (Math.abs(value) >= 100 ? value.toFixed(0) : String(Number(value.toPrecision(3))));

/** Whether a row keeps to its floor; one without a figure does not. */
export function holds(row) {
  if (!hasFloor(row)) return true;
  const { value, atLeast, atMost } = row;
  if (typeof value !== "number" || Number.isNaN(value)) return false;
  return (atLeast === undefined || value >= atLeast) && (atMost === undefined || value <= atMost);
}

/** @param {Row[]} rows */
export function floorsTable(rows) {
  const cells = rows.map((row) => {
    const { name, value, unit = "", atLeast, atMost, peer, peerValue } = row;
    const floor = atLeast === undefined ? (atMost === undefined ? "" : `≤ ${atMost}`) : `≥ ${atLeast}`;
    return [
      name,
      typeof value === "number" ? `${format(value)} ${unit}`.trim() : "none",
      typeof peerValue === "number" ? `${peer} ${format(peerValue)}` : "",
      floor,
      floor === "" ? "" : holds(row) ? "met" : "MISSED",
    ];
  });
  const table = [["", "value", "beside it", "floor", ""], ...cells];
  const widths = table[0].map((_, column) => Math.max(...table.map((row) => row[column].length)));
  return table
    .map((row) =>
      row
        .map((cell, column) => cell.padEnd(widths[column]))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
