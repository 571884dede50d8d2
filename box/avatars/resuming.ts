// What a start does with what the box that ran before left behind.

import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { baseTone, type Tone } from "../../contract/tones.ts";
import type { BuildQueue } from "./build-queue.ts";
import type { Builds } from "./builds.ts";
import { PREPARATION_VERSION } from "./prepare.ts";
import { askedTones, epochSeconds, generating, type AvatarRecord, type ClipRecord } from "./record.ts";
import type { Shelf } from "./shelf.ts";
import { STOCK } from "./stock.ts";
import { SOURCE_FILE } from "./store.ts";
import { digest } from "./upload.ts";

const interrupted = "The box stopped while this clip was built. Ask for it again.";
const sourceLost = "The box stopped before the photograph was kept. Upload it again.";

export interface ResumeOptions {
  shelf: Shelf;
  queue: BuildQueue;
  builds: Builds;
  stockDir: string;
}

export async function resume(options: ResumeOptions): Promise<void> {
  for (const record of options.shelf.all()) if (record.owner !== null) await resumeUploaded(options, record);
  for (const stock of STOCK) await resumeStock(options, stock);
}

async function resumeUploaded({ shelf, queue, builds }: ResumeOptions, record: AvatarRecord): Promise<void> {
  const { id } = record;
  const base = !isCurrent(shelf, record);
  const fromScratch = base && !canRebuild(shelf, record);
  const clips: Partial<Record<Tone, ClipRecord>> = { ...record.clips };
  const tones: Tone[] = [];
  for (const tone of askedTones(record)) {
    const clip = clips[tone];
    if (!clip) continue;
    const next = fromScratch ? lost(clip) : resumed(shelf, record, clip);
    clips[tone] = next;
    if (next.state === "generating") tones.push(tone);
  }
  const status = fromScratch ? "failed" : base ? "preparing" : record.status;
  const detail = fromScratch ? sourceLost : base ? "" : record.detail;
  const build = fromScratch ? null : record.build;
  await shelf.put({ ...record, status, detail, build, clips });
  if (base && !fromScratch) builds.startAvatar(queue.claimAvatar(id, { unlimited: true }));
  for (const tone of tones) builds.startTone(queue.claimTone(id, tone));
}

/** What becomes of a clip at a start: as it was, built again, or failed where its build may be what stopped the box. */
function resumed(shelf: Shelf, record: AvatarRecord, clip: ClipRecord): ClipRecord {
  if (clip.state === "generating")
    return clip.begun
      ? { ...clip, state: "failed", detail: interrupted, begun: false, updated_at: epochSeconds() }
      : clip;
  const here = clip.build !== null && existsSync(join(shelf.store.dirOf(record.id, clip.build), "rig.vvr"));
  if (clip.state === "generated" && !(here && clip.version === PREPARATION_VERSION))
    return generating(clip.template, clip, here && clip.version === PREPARATION_VERSION);
  return clip;
}

function lost(clip: ClipRecord): ClipRecord {
  if (clip.state === "failed") return clip;
  return {
    ...clip,
    state: "failed",
    detail: sourceLost,
    build: null,
    begun: false,
    updated_at: epochSeconds(),
  };
}

/** An avatar that failed waits for its owner. */
function isCurrent(shelf: Shelf, record: AvatarRecord): boolean {
  if (record.status === "failed") return true;
  if (record.status !== "ready" || record.version !== PREPARATION_VERSION || record.build === null)
    return false;
  return (
    record.clips?.[baseTone] !== undefined &&
    existsSync(join(shelf.store.dirOf(record.id, record.build), "rig.vvr"))
  );
}

function canRebuild(shelf: Shelf, record: AvatarRecord): boolean {
  const file = record.kind === "video" ? (record.original?.file ?? "") : SOURCE_FILE;
  return file !== "" && existsSync(shelf.store.uploaded(record, file));
}

async function resumeStock(
  { shelf, queue, builds, stockDir }: ResumeOptions,
  { id, name }: (typeof STOCK)[number],
): Promise<void> {
  const filename = `${id}.png`;
  const bytes = await readFile(join(stockDir, filename));
  const existing = shelf.get(id);
  const sha256 = digest(bytes);
  if (existing?.sha256 === sha256 && existing.status === "ready" && isCurrent(shelf, existing)) return;
  const now = epochSeconds();
  const upload = await shelf.store.saveUpload(id, [{ name: SOURCE_FILE, content: { bytes } }]);
  await shelf.put({
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
    kind: "photo",
    upload,
    original: { file: SOURCE_FILE, bytes: bytes.length, content_type: "image/png" },
    taken_at: now,
    created_at: existing?.created_at ?? now,
    updated_at: now,
  });
  builds.startAvatar(queue.claimAvatar(id, { unlimited: true }));
}
