// Which files of an avatar the portal's archive keeps, and which of them it does not have yet.

import { existsSync } from "node:fs";
import { join } from "node:path";
import type { ArchiveFile } from "../../contract/internal/avatars.ts";
import { baseTone, tones, type Tone } from "../../contract/tones.ts";
import { PREVIEW_FILE } from "./prepare.ts";
import { loopBuild, type AvatarRecord } from "./record.ts";
import type { Shelf } from "./shelf.ts";
import { SOURCE_FILE } from "./store.ts";
import { CLIP_FILE } from "./workshop.ts";

/** A file on its way to the archive, where it lies here. */
export interface ArchivableFile extends Pick<ArchiveFile, "role" | "tone" | "filename" | "content_type"> {
  path: string;
}

export interface Archivable {
  files: ArchivableFile[];
  /** What `markArchived` is told once they are all there. */
  builds: string[];
}

const videoTypes = ["video/mp4", "video/quicktime", "video/webm"] as const;

export async function archivable(shelf: Shelf, account: string, id: string): Promise<Archivable | undefined> {
  const record = shelf.get(id);
  if (record?.owner !== account || record.status !== "ready" || record.build === null) return undefined;
  const { store } = shelf;
  const files: ArchivableFile[] = [];
  const builds: string[] = [];
  if (record.archived_build !== record.build) {
    builds.push(record.build);
    const still = join(store.dirOf(id, record.build), PREVIEW_FILE);
    files.push(sourceOf(shelf, record), {
      role: "still",
      tone: null,
      filename: "still.jpg",
      content_type: "image/jpeg",
      path: still,
    });
  }
  for (const tone of unarchived(record)) {
    const build = loopBuild(record, tone);
    if (build === null) continue;
    const path = join(store.dirOf(id, build), CLIP_FILE);
    if (!existsSync(path)) continue;
    builds.push(`${tone}:${build}`);
    files.push({ role: "clip", tone, filename: `${tone}.mp4`, content_type: "video/mp4", path });
  }
  return files.length > 0 ? { files, builds } : undefined;
}

export async function markArchived(shelf: Shelf, id: string, builds: readonly string[]): Promise<void> {
  await shelf.change(id, (record) => {
    if (record.status !== "ready" || record.build === null) return undefined;
    const clips = { ...record.clips };
    for (const tone of unarchived(record)) {
      const clip = clips[tone];
      if (clip && builds.includes(`${tone}:${loopBuild(record, tone)}`))
        clips[tone] = { ...clip, archived: true };
    }
    return { ...record, clips, ...(builds.includes(record.build) && { archived_build: record.build }) };
  });
}

function unarchived({ clips }: AvatarRecord): Tone[] {
  return tones.filter((tone) => {
    const clip = clips?.[tone];
    return clip?.state === "generated" && !clip.archived && (tone === baseTone || clip.build !== null);
  });
}

/** A photograph without its metadata; a video as it was uploaded. */
function sourceOf({ store }: Shelf, record: AvatarRecord): ArchivableFile {
  const original = record.kind === "video" ? record.original : undefined;
  const type = videoTypes.find((known) => known === original?.content_type);
  if (!original || !type) {
    const path = store.uploaded(record, SOURCE_FILE);
    return { role: "source", tone: null, filename: "source.jpg", content_type: "image/jpeg", path };
  }
  const path = store.uploaded(record, original.file);
  const filename = original.file.replace(/^original/, "source");
  return { role: "source", tone: null, filename, content_type: type, path };
}
