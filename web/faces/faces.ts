// What the picker shows, read out of the box's listing.

import type { AvatarList, BuildStep } from "../../contract/avatars.ts";
import type { Clip } from "../../contract/clips.ts";
import { baseTone } from "../../contract/tones.ts";

export type FaceState = "ready" | "preparing" | "failed";

export interface Face {
  id: string;
  name: string;
  stock: boolean;
  state: FaceState;
  /** Why it failed; empty otherwise. */
  detail: string;
  /** The tones that were asked for with it, where the box has built it since it started. */
  clips: readonly Clip[];
  /** What its last build is doing, where the box has built it since it started. */
  step: BuildStep | null;
}

/** What is under way with the tones of a face, or went wrong with them; empty when there is nothing to say. */
export function tonesNote({ state, clips: all }: Face): string {
  const clips = state === "ready" ? asked(all) : all;
  const count = (state: Clip["state"]) => clips.filter((clip) => clip.state === state).length;
  const done = count("generated") + count("failed");
  if (count("generating") > 0) return `Making tones · ${done} of ${clips.length}`;
  const failed = count("failed");
  if (failed === 0) return "";
  return failed === 1 ? "One tone failed" : `${failed} tones failed`;
}

/** Beside the neutral one, which comes with the face: of one that is ready only its MP4 can be missing. */
const asked = (clips: readonly Clip[]) => clips.filter(({ tone }) => tone !== baseTone);

/** Tones of a face that is ready are still being made. */
export function makesTones(clips: readonly Clip[]): boolean {
  return asked(clips).some(({ state }) => state === "generating");
}

/** Its picture or one of its tones is still being made. */
export function isMoving(face: Face): boolean {
  return face.state === "preparing" || face.clips.some(({ state }) => state === "generating");
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
 * Own faces first, newest listing order kept, then the stock ones. A face under preparation may have no group yet, so
 * `pendingNames` (id to name, from uploads of this page) names it.
 */
export function facesFromList(list: AvatarList, pendingNames: ReadonlyMap<string, string>): Face[] {
  const loaded = new Set(list.avatars.map(baseId));
  const preparing = new Set(list.preparing.map(baseId));
  const failure = (id: string) => {
    const build = list.builds[id];
    return build?.state === "failed" ? build : undefined;
  };
  const state = (id: string): FaceState => {
    // One that is there can be shown, whatever else of it is still being made.
    if (loaded.has(id)) return "ready";
    if (preparing.has(id)) return "preparing";
    return failure(id) ? "failed" : "ready";
  };
  const faces: Face[] = list.groups.map((group) => ({
    id: group.id,
    name: group.display_name,
    stock: group.stock,
    state: state(group.id),
    detail: state(group.id) === "failed" ? (failure(group.id)?.detail ?? "") : "",
    clips: list.builds[group.id]?.clips ?? [],
    step: list.builds[group.id]?.step ?? null,
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
      clips: list.builds[id]?.clips ?? [],
      step: list.builds[id]?.step ?? null,
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
