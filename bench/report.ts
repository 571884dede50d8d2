// Benchmark rows: a figure, its floor, and whether it holds. Rows are printed as they come and once more at the end.

export interface Row {
  name: string;
  value: number;
  unit: string;
  /** What the figure must not go below or above; `within`: either way from zero. */
  floor?: { atLeast: number } | { atMost: number } | { within: number };
  /** What it stands beside, measured in the same run. */
  peer?: { name: string; value: number };
}

const format = (value: number): string => (Math.abs(value) >= 100 ? value.toFixed(0) : value.toPrecision(3));

/** False for what is no number, too. */
export function holds({ value, floor }: Row): boolean {
  if (floor === undefined) return true;
  if ("atLeast" in floor) return value >= floor.atLeast;
  return "atMost" in floor ? value <= floor.atMost : Math.abs(value) <= floor.within;
}

function describeFloor(floor: NonNullable<Row["floor"]>): string {
  if ("atLeast" in floor) return `≥ ${floor.atLeast}`;
  return "atMost" in floor ? `≤ ${floor.atMost}` : `within ±${floor.within}`;
}

export function describeRow(row: Row): string {
  const words = [`${row.name}: ${format(row.value)} ${row.unit}`];
  if (row.peer) {
    const ratio = row.peer.value / row.value;
    words.push(`${row.peer.name} ${format(row.peer.value)} ${row.unit}, ratio ${format(ratio)}`);
  }
  if (row.floor) {
    words.push(`${describeFloor(row.floor)} ${holds(row) ? "holds" : "MISSED"}`);
  }
  return words.join(" · ");
}

/** Prints a row and returns it. */
export function report(row: Row): Row {
  console.log(describeRow(row));
  return row;
}

export function median(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  if (sorted.length === 0) return Number.NaN;
  return sorted.length % 2 === 1
    ? (sorted[middle] ?? Number.NaN)
    : ((sorted[middle - 1] ?? 0) + (sorted[middle] ?? 0)) / 2;
}
