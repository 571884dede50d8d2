// From an upload to an avatar that is being built: checked, put on disk, and queued with its tones.

import type { AvatarCreated } from "../../contract/avatars.ts";
import { baseTone, tones as vocabulary, type Tone } from "../../contract/tones.ts";
import type { BuildQueue, Claim } from "./build-queue.ts";
import type { Builds } from "./builds.ts";
import { withDisk } from "./faults.ts";
import { takeIn, type IntakeOptions } from "./intake.ts";
import type { Journal } from "./journal.ts";
import type { AvatarRecord } from "./record.ts";
import type { Shelf } from "./shelf.ts";
import type { UploadFile } from "./store.ts";
import type { CreateAvatarRequest } from "./upload.ts";

export interface CreateOptions {
  id: string;
  display_name: string;
  shelf: Shelf;
  queue: BuildQueue;
  journal: Journal;
  builds: Builds;
  intake: IntakeOptions;
  /** The account's active avatar; empty while there is none. */
  active(): string;
}

export async function createAvatar(
  request: CreateAvatarRequest,
  { id, display_name, shelf, queue, journal, builds, intake, active }: CreateOptions,
): Promise<AvatarCreated> {
  const claim = queue.claimAvatar(id);
  const claims: Claim[] = [];
  const takeBack = journal.begin(id);
  try {
    const { record, files, plan, photo } = await takeIn(request, intake, (step) => journal.step(id, step));
    const coming = plan.coming.map(({ tone }) => tone);
    claims.push(...queue.claimWith(claim, coming));
    await keep(shelf, { ...record, id, display_name, build: null, created_at: record.updated_at }, files);
    builds.startAvatar(claim, photo);
    for (const tone of claims) builds.startTone(tone);
    const asked = new Set<Tone>([baseTone, ...coming]);
    const tones = vocabulary.filter((tone) => asked.has(tone));
    return { avatar: id, display_name, status: "preparing", tones, note: plan.note, active: active() };
  } catch (error) {
    takeBack();
    // Its MP4 may have been made since that report.
    const before = shelf.get(id);
    if (before && journal.report(id)?.finished_at === null) journal.settle(before);
    for (const held of [claim, ...claims]) held.release();
    throw error;
  }
}

/** Puts files and record on disk: both, or neither. */
async function keep(shelf: Shelf, fresh: AvatarRecord, files: readonly UploadFile[]): Promise<void> {
  const { store } = shelf;
  const previous = shelf.get(fresh.id);
  try {
    await withDisk(async () => {
      const upload = await store.saveUpload(fresh.id, files);
      const before = {
        build: previous?.build ?? null,
        created_at: previous?.created_at ?? fresh.created_at,
      };
      await shelf.put({ ...fresh, ...before, upload });
    });
  } catch (error) {
    await (previous ? store.removeAllBut(previous) : shelf.remove(fresh.id)).catch(() => undefined);
    throw error;
  }
}
