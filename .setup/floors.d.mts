// The types of floors.mjs, for tests.

export interface FloorRow {
  name: string;
  value: number | null;
  unit?: string;
  atLeast?: number;
  atMost?: number;
  peer?: string;
  peerValue?: number;
}

export function chosenParts(words: string[], parts: string[]): string[];
export function collectRows(): {
  rows: FloorRow[];
  take(part: string, line: string): boolean;
  ended(part: string): void;
};
export function holds(row: FloorRow): boolean;
export function floorsTable(rows: FloorRow[]): string;
