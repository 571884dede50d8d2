// What the picker shows, read out of the box's listing.

import type { AvatarList } from "../../contract/avatars.ts";
import type { Tone } from "../../contract/tones.ts";

const baseTone: Tone = "neutral";

export type FaceState = "ready" | "preparing" | "failed";

export interface Face {
  id: string;
  name: string;
  stock: boolean;
  state: FaceState;
  /** Why it failed; empty otherwise. */
  detail: string;
}

/** "my_photo-01.JPG" becomes "My photo 01". */
export function nameFromFile(filename: string): string {
  const stem = filename.replace(/\.[^.]*$/, "");
  const words = stem.replace(/[_\-.\s]+/g, " ").trim();
  return words === "" ? "New face" : words.charAt(0).toUpperCase() + words.slice(1);
}

function baseId(variant: string): string {
  return variant.split("__")[0] ?? variant;
}

/**
 * The last failure of the base clip. The journal of a face is read with care: a box may keep one report for it or many,
 * and a listing that cannot be read must not take the picker down with it.
 */
function failureOf(journal: unknown): { detail: string } | undefined {
  const reports = Array.isArray(journal) ? (journal as unknown[]) : [journal];
  for (const report of reports.toReversed()) {
    if (typeof report !== "object" || report === null) continue;
    const { tone = baseTone, state, detail } = report as Record<string, unknown>;
    if (tone === baseTone && state === "failed") return { detail: typeof detail === "string" ? detail : "" };
  }
  return undefined;
}

/**
 * Own faces first, newest listing order kept, then the stock ones. A face under preparation may have no group yet, so
 * `pendingNames` (id to name, from uploads of this page) names it.
 */
export function facesFromList(list: AvatarList, pendingNames: ReadonlyMap<string, string>): Face[] {
  const loaded = new Set(list.avatars.map(baseId));
  const preparing = new Set(list.preparing.map(baseId));
  const failure = (id: string) => failureOf(list.builds[id]);
  const state = (id: string): FaceState => {
    if (preparing.has(id)) return "preparing";
    return !loaded.has(id) && failure(id) ? "failed" : "ready";
  };
  const faces: Face[] = list.groups.map((group) => ({
    id: group.id,
    name: group.display_name,
    stock: group.stock,
    state: state(group.id),
    detail: state(group.id) === "failed" ? (failure(group.id)?.detail ?? "") : "",
  }));
  const known = new Set(faces.map((face) => face.id));
  for (const [id, name] of pendingNames) {
    if (known.has(id)) continue;
    const failed = !preparing.has(id) && failure(id);
    if (!failed && !preparing.has(id)) continue;
    faces.push({
      id,
      name,
      stock: false,
      state: failed ? "failed" : "preparing",
      detail: failed ? failed.detail : "",
    });
  }
  return [...faces.filter((face) => !face.stock), ...faces.filter((face) => face.stock)];
}

/** Which face to show first: the one chosen before while it exists, else the box's active one, else any that is ready. */
export function chooseFace(
  faces: readonly Face[],
  previous: string | null,
  active: string | null,
): string | null {
  const usable = faces.filter((face) => face.state === "ready");
  const find = (id: string | null) => usable.find((face) => face.id === id)?.id;
  return find(previous) ?? find(active) ?? usable[0]?.id ?? null;
}
