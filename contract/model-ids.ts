// What a Claude model's id says: who serves it, where it runs, and which model it is.

import type { Residency } from "./models.ts";

export interface ModelAddress {
  host: "anthropic" | "bedrock";
  /** The prefix of a Bedrock cross-region profile (`au`, `apac`, `global`, …); null runs in the region of the call. */
  geography: string | null;
  /** `opus`, `sonnet`, … */
  family: string;
  /** `[5, 5]` is 5.5. */
  version: readonly number[];
  /** Date and revision of the snapshot, as far as the id names them: `-20250929-v1:0` is `[20250929, 1, 0]`. */
  snapshot: readonly number[];
}

const pattern =
  /^(?:(?:(?<geography>[a-z-]+)\.)?(?<bedrock>anthropic)\.)?claude-(?<name>[a-z0-9-]+?)(?:-(?<date>\d{8}))?(?:-v(?<major>\d+)(?::(?<minor>\d+))?)?$/;

/** Reads an id; null when it is no Claude model's. Both orders of family and version are known: `3-5-sonnet`, `sonnet-5`. */
export function parseModelId(id: string): ModelAddress | null {
  const parts = pattern.exec(id)?.groups;
  if (!parts?.name) return null;
  const words = parts.name.split("-");
  const family = words.filter((word) => /^[a-z]/.test(word)).join("-");
  if (family === "") return null;
  const numbers = (texts: (string | undefined)[]) =>
    texts.filter((text) => text !== undefined).map((text) => Number(text));
  return {
    host: parts.bedrock ? "bedrock" : "anthropic",
    geography: parts.geography ?? null,
    family,
    version: numbers(words.filter((word) => /^\d+$/.test(word))),
    snapshot: parts.date ? numbers([parts.date, parts.major, parts.minor]) : [],
  };
}

/** Regions of the home country: Sydney and Melbourne. */
const homeRegions = new Set(["ap-southeast-2", "ap-southeast-4"]);

/** Where a call to the region itself runs. */
export function regionResidency(region: string): Residency {
  if (homeRegions.has(region)) return "au";
  return region.startsWith("ap-") ? "apac" : "global";
}

/** Where a model runs. A geography other than the three that are told apart counts as anywhere. */
export function addressResidency({ host, geography }: ModelAddress, region: string): Residency {
  if (host === "anthropic") return "global";
  if (geography === null) return regionResidency(region);
  return geography === "au" || geography === "apac" ? geography : "global";
}

/** Compares number by number; a missing one counts as older than any. */
export function compareNumbers(left: readonly number[], right: readonly number[]): number {
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? -1) - (right[at] ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}
