// An avatar as the rest of the box sees it.

import type { z } from "zod";
import type { AvatarState, Framing } from "../../contract/avatars.ts";
import type { Clip } from "../../contract/clips.ts";
import type { cropSchema } from "../../contract/library.ts";
import type { CheckedPhoto } from "./prepare.ts";
import { clipsOf, type AvatarRecord } from "./record.ts";

export interface AvatarEntry {
  id: string;
  displayName: string;
  /** Account that uploaded it; null for stock avatars. */
  owner: string | null;
  stock: boolean;
  status: AvatarState;
  /** Why it failed; empty otherwise. */
  detail: string;
  /** Holds rig.vvr, loop.i420 and preview.jpg when the status is `ready`: what Stage takes as `avatarDir`. */
  dir: string;
  framing: Framing;
  gestureAmplitude: number;
  kind: "photo" | "video";
  /** Those that were asked for; the base one is among them. */
  clips: Clip[];
  /** Name and SHA-256 (hex) of the photograph or video as it was uploaded. */
  filename: string;
  sha256: string;
  /** Where in the photograph the avatar was cut from; null for records that never noted it. */
  crop: z.infer<typeof cropSchema> | null;
  /** When this photograph was taken in, in epoch seconds. */
  madeAt: number;
  /** Its source, its still and its clips are in the portal's archive. */
  archived: boolean;
  /** Epoch seconds. */
  created_at: number;
  updated_at: number;
}

/** `dir` is the folder of the record's build, empty before the first. */
export function entryOf(record: AvatarRecord, dir: string): AvatarEntry {
  return {
    id: record.id,
    displayName: record.display_name,
    owner: record.owner,
    stock: record.owner === null,
    status: record.status,
    detail: record.detail,
    dir,
    framing: record.framing,
    gestureAmplitude: record.gesture_amplitude,
    kind: record.kind ?? "photo",
    clips: clipsOf(record),
    filename: record.filename,
    sha256: record.sha256,
    crop: record.square ? { crop: record.framing, ...record.square } : null,
    madeAt: takenAt(record),
    archived: isArchived(record),
    created_at: record.created_at,
    updated_at: record.updated_at,
  };
}

function isArchived({ build, archived_build, clips }: AvatarRecord): boolean {
  const waiting = Object.values(clips ?? {}).some(
    ({ state, archived }) => state === "generated" && !archived,
  );
  return build !== null && archived_build === build && !waiting;
}

/** When the photograph of a record was taken in. */
export function takenAt({ taken_at, created_at }: AvatarRecord): number {
  return taken_at ?? created_at;
}

/** Where in its photograph the shown square lies. */
export function squareOf({
  crop,
  source,
}: Pick<CheckedPhoto, "crop" | "source">): NonNullable<AvatarRecord["square"]> {
  return {
    x: crop.left / source.width,
    y: crop.top / source.height,
    w: crop.side / source.width,
    h: crop.side / source.height,
  };
}
