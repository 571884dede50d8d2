// The faces that ship with a box.

import type { AvatarRecord } from "./record.ts";

export const STOCK = [
  { id: "maya", name: "Maya" },
  { id: "theo", name: "Theo" },
] as const;

/** Their place in a list; -1 for an avatar that somebody uploaded. */
export function stockRank({ id, owner }: AvatarRecord): number {
  return owner === null ? STOCK.findIndex((stock) => stock.id === id) : -1;
}
