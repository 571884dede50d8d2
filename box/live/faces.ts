// Which avatar speaks, and in which tones.

import { baseTone, type Tone } from "../../contract/tones.ts";
import type { AvatarEntry, AvatarLibrary, AvatarLibraryOptions } from "../avatars/library.ts";

/** The library as callers of the box see it. */
export type Faces = Pick<
  AvatarLibrary,
  | "create"
  | "list"
  | "loops"
  | "resolve"
  | "ready"
  | "preview"
  | "active"
  | "owned"
  | "archivable"
  | "markArchived"
  | "erase"
  | "videos"
  | "clips"
  | "clipFile"
  | "retry"
  | "finished"
  | "delete"
  | "noteRegistry"
  | "close"
>;

/** What a library tells the box, and asks it. */
export type FaceHooks = Pick<AvatarLibraryOptions, "onProgress" | "onClip" | "onFault" | "checkConsent">;

/** The tones an avatar has; at least the base one. */
export function tonesOf(faces: Faces, account: string, id: string): Tone[] {
  const group = faces.list(account).groups.find((candidate) => candidate.id === id);
  return group && group.tones.length > 0 ? group.tones : [baseTone];
}

/** The avatar of a turn: the one asked for, else the one saved in the settings, else the box's active one. */
export function faceOf(
  faces: Faces,
  account: string,
  wish: { asked?: string | undefined; saved?: string | undefined },
): AvatarEntry | null {
  if (wish.asked) return faces.resolve(account, wish.asked) ?? null;
  const saved = wish.saved ? faces.resolve(account, wish.saved) : undefined;
  return saved ?? faces.active(account);
}
