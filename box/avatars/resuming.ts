// What a start does with what the box that ran before left behind.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { isDeepStrictEqual } from "node:util";
import { baseTone, tones, type Tone } from "../../contract/tones.ts";
import type { BuildQueue } from "./build-queue.ts";
import type { Builds } from "./builds.ts";
import { OLDEST_SHOWN_VERSION, OUTPUT_SIDE, PREPARATION_VERSION } from "./prepare.ts";
import {
  askedTones,
  epochSeconds,
  generating,
  isRemade,
  isServable,
  remadeBase,
  type AvatarRecord,
  type ClipRecord,
} from "./record.ts";
import type { Shelf } from "./shelf.ts";
import { STOCK } from "./stock.ts";
import { SOURCE_FILE } from "./store.ts";
import { digest } from "./upload.ts";

const interrupted = "The box stopped while this clip was built. Ask for it again.";
const stoppedTwice = "The box stopped twice while this was built. Upload it again.";
const sourceLost = "The box stopped before the photograph was kept. Upload it again.";

/** A build that the box stopped in this often is not begun again: it may be what stopped it. */
const mostBegun = 2;

export interface ResumeOptions {
  shelf: Shelf;
  queue: BuildQueue;
  builds: Builds;
  stockDir: string;
  /** Whether the stock avatars get their tones as well. */
  stockTones: boolean;
}

export async function resume(options: ResumeOptions): Promise<void> {
  for (const record of options.shelf.all()) if (record.owner !== null) await resumeUploaded(options, record);
  for (const stock of STOCK) await resumeStock(options, stock);
}

async function resumeUploaded({ shelf, queue, builds }: ResumeOptions, record: AvatarRecord): Promise<void> {
  const { id } = record;
  const base = resumedBase(shelf, record);
  const clips: Partial<Record<Tone, ClipRecord>> = { ...base.record.clips };
  const tones: Tone[] = [];
  for (const tone of askedTones(record)) {
    const clip = clips[tone];
    if (!clip) continue;
    const next = base.lost ? failedClip(clip, sourceLost) : resumed(shelf, record, clip);
    clips[tone] = next;
    if (next.state === "generating") tones.push(tone);
  }
  await putChanged(shelf, { ...base.record, clips });
  if (base.again) builds.startAvatar(queue.claimAvatar(id, { unlimited: true }));
  else encodeBase({ queue, builds }, base.record);
  for (const tone of tones) builds.startTone(queue.claimTone(id, tone));
}

function encodeBase({ queue, builds }: Pick<ResumeOptions, "queue" | "builds">, record: AvatarRecord): void {
  if (record.status !== "ready" || !record.clips?.[baseTone]?.unencoded) return;
  builds.startEncoding(queue.claimEncoding({ avatar: record.id }));
}

/** A disk without room for a record that says nothing new does not keep a box from starting. */
async function putChanged(shelf: Shelf, record: AvatarRecord): Promise<void> {
  if (!isDeepStrictEqual(record, shelf.get(record.id))) await shelf.put(record);
}

/** What becomes of an avatar itself: as it was, built again, or failed where it cannot be or its build stopped the box. */
function resumedBase(
  shelf: Shelf,
  record: AvatarRecord,
): { record: AvatarRecord; again: boolean; lost: boolean } {
  const current = isCurrent(shelf, record);
  const whole = record.begun ? { ...record, begun: 0 } : record;
  if (current && !isRemade(record)) return { record: unencodedOnce(whole), again: false, lost: false };
  // What can be shown is, until the next is there, and where that never comes.
  const remade = isServable(record) && isBuilt(shelf, record);
  const base = remadeBase(record, record.kind === "video" ? "footage" : "motion");
  const stopped = (record.begun ?? 0) >= mostBegun;
  if (!stopped && canRebuild(shelf, record)) {
    const clips = { ...record.clips, [baseTone]: base };
    const next = remade ? { ...record, clips } : ({ ...record, status: "preparing", detail: "" } as const);
    return { record: next, again: true, lost: false };
  }
  const detail = stopped ? stoppedTwice : sourceLost;
  if (remade) {
    const clips = {
      ...record.clips,
      [baseTone]: { ...failedClip(base, detail), version: PREPARATION_VERSION },
    };
    return { record: { ...whole, clips }, again: false, lost: false };
  }
  const failed = { ...whole, status: "failed", detail } as const;
  return { record: stopped ? failed : { ...failed, build: null }, again: false, lost: !stopped };
}

/** An MP4 whose making stopped the box twice is given up. */
function unencodedOnce(record: AvatarRecord): AvatarRecord {
  const clip = record.clips?.[baseTone];
  if (!clip?.unencoded || Number(clip.begun) < mostBegun) return record;
  const { unencoded: _, ...known } = clip;
  return { ...record, clips: { ...record.clips, [baseTone]: failedClip(known, interrupted) } };
}

/** What becomes of a clip at a start: as it was, built again, or failed where its build may be what stopped the box. */
function resumed(shelf: Shelf, record: AvatarRecord, clip: ClipRecord): ClipRecord {
  const here = isHere(shelf, record, clip);
  const begun = Number(clip.begun);
  switch (clip.state) {
    case "generating":
      if (begun === 0 || (clip.template === "footage" && begun < mostBegun)) return clip;
      return failedClip(
        clip,
        clip.template === "footage" ? stoppedTwice : interrupted,
        here ? clip.build : null,
      );
    case "generated":
      return here && clip.version === PREPARATION_VERSION ? clip : generating(clip.template, clip, here);
    case "failed":
      return here ? clip : { ...clip, build: null };
  }
}

/** Whether a clip has a build that goes with the face that is shown. */
function isHere(shelf: Shelf, record: AvatarRecord, { build, version }: ClipRecord): boolean {
  if (build === null || version < record.version || version < OLDEST_SHOWN_VERSION) return false;
  return existsSync(join(shelf.store.dirOf(record.id, build), "rig.vvr"));
}

function failedClip(clip: ClipRecord, detail: string, build: string | null = null): ClipRecord {
  if (clip.state === "failed") return { ...clip, build };
  return { ...clip, state: "failed", detail, build, begun: 0, updated_at: epochSeconds() };
}

/** An avatar that failed waits for its owner. */
function isCurrent(shelf: Shelf, record: AvatarRecord): boolean {
  if (record.status === "failed") return true;
  const base = record.clips?.[baseTone];
  if (record.status !== "ready" || !base || !isBuilt(shelf, record)) return false;
  if (record.version === PREPARATION_VERSION) return true;
  // One that this version could not be built of is shown as it was, and waits for its owner as well.
  return isServable(record) && base.state === "failed" && base.version === PREPARATION_VERSION;
}

function isBuilt(shelf: Shelf, { id, build }: AvatarRecord): boolean {
  return build !== null && existsSync(join(shelf.store.dirOf(id, build), "rig.vvr"));
}

function canRebuild(shelf: Shelf, record: AvatarRecord): boolean {
  const file = record.kind === "video" ? (record.original?.file ?? "") : SOURCE_FILE;
  return file !== "" && existsSync(shelf.store.uploaded(record, file));
}

async function resumeStock(options: ResumeOptions, { id, name }: (typeof STOCK)[number]): Promise<void> {
  const { shelf, queue, builds, stockDir } = options;
  const filename = `${id}.png`;
  const bytes = await readFile(join(stockDir, filename));
  const sha256 = digest(bytes);
  const existing = shelf.get(id);
  const same = existing?.sha256 === sha256 ? existing : undefined;
  const whole = same?.status === "ready" && isCurrent(shelf, same);
  let record: AvatarRecord;
  if (whole) {
    record = unencodedOnce(same);
  } else {
    const now = epochSeconds();
    const upload = await shelf.store.saveUpload(id, [{ name: SOURCE_FILE, content: { bytes } }]);
    record = {
      id,
      display_name: name,
      owner: null,
      status: "preparing",
      detail: "",
      framing: "bust",
      gesture_amplitude: 0.5,
      filename,
      sha256,
      version: PREPARATION_VERSION,
      build: existing?.build ?? null,
      begun: same?.begun ?? 0,
      kind: "photo",
      upload,
      original: { file: SOURCE_FILE, bytes: bytes.length, content_type: "image/png" },
      taken_at: now,
      created_at: existing?.created_at ?? now,
      updated_at: now,
    };
  }
  // A box without this face is better than one that does not start; the next start tries again.
  const stopped = (record.begun ?? 0) >= mostBegun;
  const givenUp = whole && record !== same;
  if (whole && !givenUp) record = unencodedAgain(record);
  const again = !stopped && (!whole || isRemade(record));
  if (stopped) record = { ...record, begun: 0, ...(!whole && { status: "failed", detail: stoppedTwice }) };
  const clips = stopped ? record.clips : stockClips(options, record);
  await putChanged(shelf, { ...record, ...(clips && { clips }) });
  if (again) builds.startAvatar(queue.claimAvatar(id, { unlimited: true }));
  else encodeBase({ queue, builds }, record);
  for (const [tone, clip] of Object.entries(clips ?? {}) as [Tone, ClipRecord][])
    if (tone !== baseTone && clip.state === "generating")
      builds.startTone(queue.claimTone(id, tone, { idle: true }));
}

/** An MP4 that could not be made is tried again, of the same loop. */
function unencodedAgain(record: AvatarRecord): AvatarRecord {
  const clip = record.clips?.[baseTone];
  if (clip?.state !== "failed") return record;
  const unencoded = { width: OUTPUT_SIDE, height: OUTPUT_SIDE };
  const next: ClipRecord = { ...clip, state: "generating", detail: "", begun: 0, unencoded };
  return { ...record, clips: { ...record.clips, [baseTone]: next } };
}

/** The base clip of a stock avatar, and its tones: those there are, and where they are wanted all others, to be built. */
function stockClips({ shelf, stockTones }: ResumeOptions, record: AvatarRecord): AvatarRecord["clips"] {
  const clips: AvatarRecord["clips"] = {};
  for (const tone of tones) {
    const clip = record.clips?.[tone];
    if (tone === baseTone) {
      if (clip) clips[tone] = clip;
    } else if (clip?.state === "generated" && isHere(shelf, record, clip)) {
      clips[tone] = clip;
    } else if (stockTones && clip && Number(clip.begun) >= mostBegun) {
      // For good: it stopped the box twice.
      clips[tone] = clip.state === "failed" ? clip : { ...failedClip(clip, interrupted), begun: mostBegun };
    } else if (stockTones) {
      clips[tone] = { ...generating("motion"), begun: Number(clip?.begun ?? 0) };
    }
  }
  return clips;
}
