// What avatar.json holds, and what can be read off it alone.

import type { AvatarState, Framing } from "../../contract/avatars.ts";
import { variantId } from "../../contract/avatars.ts";
import type { Clip } from "../../contract/clips.ts";
import { baseTone, tones, type Tone } from "../../contract/tones.ts";
import { OLDEST_SHOWN_VERSION, PREPARATION_VERSION } from "./prepare.ts";

/** Where the motion of a clip comes from: the built-in motion renderer, the HTTP generator, or footage of that tone. */
export type ClipTemplate = "motion" | "http" | "footage";

/**
 * One tone's clip. The base tone's tells only of its MP4: its loop is the avatar's own build, which is shown as soon as it is
 * there.
 */
export interface ClipRecord {
  state: "generating" | "generated" | "failed";
  /** Why it failed; empty otherwise. */
  detail: string;
  template: ClipTemplate;
  /** Folder of its newest complete build, beside avatar.json; null before the first, and for the base tone. */
  build: string | null;
  /** PREPARATION_VERSION of that build; of the base tone, that which its avatar was last built with, or was to be. */
  version: number;
  frames: number;
  fps: number;
  /** How often its build began without an end: it may be what stopped the box. Older records say yes or no. */
  begun: number | boolean;
  /** What the HTTP generator made, in the upload's folder; it is not paid for twice. */
  generated_file?: string;
  /** Of the base tone: the size of its loop, whose MP4 alone is still to be made. */
  unencoded?: { width: number; height: number };
  /** Its MP4 is in the portal's archive. */
  archived?: boolean;
  updated_at: number;
}

/** That somebody attested to the likeness in exactly the bytes with this digest. */
export interface ConsentRecord {
  token: string;
  sha256: string;
  /** False while the portal could not be asked. */
  agreed: boolean;
}

/** avatar.json. The builds it names are complete: it is written after everything in their folders. */
export interface AvatarRecord {
  id: string;
  display_name: string;
  /** Account that uploaded it; null for stock avatars. */
  owner: string | null;
  status: AvatarState;
  detail: string;
  framing: Framing;
  gesture_amplitude: number;
  filename: string;
  /** SHA-256 of the file as it was uploaded, in hex. */
  sha256: string;
  /** PREPARATION_VERSION of the build. */
  version: number;
  /** Folder of the newest complete build, beside avatar.json; null before the first. */
  build: string | null;
  /** How often its build began without an end: it may be what stopped the box. */
  begun?: number;
  /** Where in the photograph the square lies that is shown, in fractions of its width and height; older records lack it. */
  square?: { x: number; y: number; w: number; h: number };
  /** When this photograph was taken in; a record that lacks it has had no other since `created_at`. */
  taken_at?: number;
  /** The build whose still, with its photograph, is in the portal's archive. */
  archived_build?: string;
  /** Absent in records from before there were videos. */
  kind?: "photo" | "video";
  /** Folder of the uploaded files, beside avatar.json; older records have only source.jpg there. */
  upload?: string;
  /** The file as it was uploaded, in that folder. */
  original?: { file: string; bytes: number; content_type: string };
  /** Takes of a tone, in that folder and in order. */
  takes?: Partial<Record<Tone, string[]>>;
  consent?: ConsentRecord;
  clips?: Partial<Record<Tone, ClipRecord>>;
  /** Why the portal's library does not hold it; empty or absent when it does. */
  registry_note?: string;
  created_at: number;
  updated_at: number;
}

/** Same seed, same loop: the same file gives the same avatar. */
export function seedOf({ sha256 }: AvatarRecord): number {
  return Number.parseInt(sha256.slice(0, 8), 16);
}

/** A clip whose build begins, or waits for its turn; what was built before stays until then. */
export function generating(
  template: ClipTemplate,
  previous?: ClipRecord,
  keep = (previous?.version ?? 0) >= OLDEST_SHOWN_VERSION,
): ClipRecord {
  return {
    state: "generating",
    detail: "",
    template,
    build: keep ? (previous?.build ?? null) : null,
    version: keep ? (previous?.version ?? PREPARATION_VERSION) : PREPARATION_VERSION,
    frames: keep ? (previous?.frames ?? 0) : 0,
    fps: keep ? (previous?.fps ?? 0) : 0,
    begun: 0,
    ...(previous?.generated_file !== undefined && { generated_file: previous.generated_file }),
    updated_at: epochSeconds(),
  };
}

/** Folder of a tone's loop; null while it has none that could be shown. */
export function loopBuild(record: AvatarRecord, tone: Tone): string | null {
  if (record.status !== "ready") return null;
  if (tone === baseTone) return record.build;
  const clip = record.clips?.[tone];
  // One of an older version does not go with a face that was built since.
  return clip && clip.version >= record.version ? clip.build : null;
}

/** The tones whose loops can be shown, in the order of the vocabulary; the base one is always among them. */
export function readyTones(record: AvatarRecord): Tone[] {
  return tones.filter((tone) => tone === baseTone || loopBuild(record, tone) !== null);
}

/** Whether its build is of the photograph that it names, and one that this box shows: also while it is made anew. */
export function isServable({ status, build, version }: AvatarRecord): boolean {
  return status === "ready" && build !== null && version >= OLDEST_SHOWN_VERSION;
}

/** The base clip of an avatar that can be shown while it is made anew. */
export function remadeBase(record: AvatarRecord, template: ClipTemplate): ClipRecord {
  const { unencoded: _, ...clip } = record.clips?.[baseTone] ?? generating(template);
  return { ...clip, state: "generating", detail: "", updated_at: epochSeconds() };
}

/** Whether the base clip, and with it the loop that is shown, is being made anew. */
export function isRemade({ status, clips }: AvatarRecord): boolean {
  const base = clips?.[baseTone];
  return status === "ready" && base?.state === "generating" && base.unencoded === undefined;
}

/** Tones that were asked for, the base one apart. */
export function askedTones(record: AvatarRecord): Tone[] {
  return tones.filter((tone) => tone !== baseTone && record.clips?.[tone] !== undefined);
}

/** Every build that a record needs. */
export function buildsOf(record: AvatarRecord): (string | null)[] {
  return [record.build, ...Object.values(record.clips ?? {}).map(({ build }) => build)];
}

/** The clips that were asked for, the base one first; a tone that never was is absent. */
export function clipsOf(record: AvatarRecord): Clip[] {
  const base = baseClip(record);
  const others = askedTones(record).flatMap((tone) => {
    const clip = record.clips?.[tone];
    return clip ? [toClip(record.id, tone, clip)] : [];
  });
  return [...(base ? [base] : []), ...others];
}

/** One clip as it is told of; undefined for one that was never asked for. */
export function clipOf(record: AvatarRecord, tone: Tone): Clip | undefined {
  return clipsOf(record).find((clip) => clip.tone === tone);
}

/** The base clip moves with the avatar itself. */
function baseClip(record: AvatarRecord): Clip | undefined {
  const known = record.clips?.[baseTone];
  if (record.status === "ready") return known && toClip(record.id, baseTone, known);
  const failed = record.status === "failed";
  return {
    tone: baseTone,
    state: failed ? "failed" : "generating",
    variant_id: record.id,
    duration_s: null,
    updated_at: record.updated_at,
    detail: failed ? record.detail : "",
  };
}

function toClip(id: string, tone: Tone, clip: ClipRecord): Clip {
  return {
    tone,
    state: clip.state,
    variant_id: variantId(id, tone),
    duration_s: clip.state === "generated" && clip.fps > 0 ? clip.frames / clip.fps : null,
    updated_at: clip.updated_at,
    detail: clip.detail,
  };
}

export function epochSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
