// Each avatar's archive in storage: what boxes put there, and what its owner, and players of its clips, get of it.

import type { z } from "zod";
import type { ArchiveFile, archiveRequestSchema } from "../../contract/internal/avatars.ts";
import type { assetsSchema, clipVideoSchema, portalClipListSchema } from "../../contract/library.ts";
import { limits } from "../../contract/limits.ts";
import { toneSchema } from "../../contract/tones.ts";
import { isImage, type PutGrant } from "../../contract/uploads.ts";
import { readStatus } from "../fleet/fleet.ts";
import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { isAsGranted, type Signer } from "../platform/storage.ts";
import {
  findArchive,
  findPlayable,
  insertGranted,
  listStored,
  markStored,
  unmarkStored,
} from "./archive-store.ts";
import { noAvatar } from "./avatars.ts";
import { archivePrefix } from "./folders.ts";
import { findAvatar, listClips, type AvatarRow } from "./store.ts";

type ArchiveRequest = z.infer<typeof archiveRequestSchema>;

const noStorage = "No media storage is configured here, so nothing can be signed.";

export async function readAssets(
  db: D1Database,
  signer: Signer | null,
  { account, avatarId }: { account: string; avatarId: string },
): Promise<Outcome<z.infer<typeof assetsSchema>>> {
  const avatar = await findAvatar(db, account, avatarId);
  if (!avatar) return noAvatar;
  if (!signer) return failure("media_unavailable", noStorage);
  const files = await listStored(db, { account, avatarId });
  const assets = await Promise.all(
    files.map(async (file) => ({
      kind: isImage(file.contentType) ? ("image" as const) : ("video" as const),
      filename: file.filename,
      size_bytes: file.size,
      updated_at: file.storedAt ?? avatar.updatedAt,
      url: await signer.get(archivePrefix(avatar.archiveId) + file.filename),
    })),
  );
  return success({ avatar_id: avatarId, assets, expires_in: limits.signedUrlSeconds });
}

const unknownAvatar = failure("unknown_avatar", "There is no such avatar.");

/** Why no clip can be built now; empty when one can. */
async function whyNoClips(db: D1Database, avatar: AvatarRow): Promise<string> {
  if (avatar.state === "preparing") return "The avatar is still being prepared.";
  if (avatar.state === "failed") return "The avatar could not be prepared.";
  const { boxes } = await readStatus(db);
  return boxes.free + boxes.busy > 0 ? "" : "Clips are built by a box, and none is running.";
}

export async function readClips(
  db: D1Database,
  account: string,
  avatarId: string,
): Promise<Outcome<z.infer<typeof portalClipListSchema>>> {
  const avatar = await findAvatar(db, account, avatarId);
  if (!avatar) return unknownAvatar;
  const [rows, reason] = await Promise.all([listClips(db, account, avatarId), whyNoClips(db, avatar)]);
  const order = toneSchema.options;
  return success({
    avatar: avatarId,
    clips: rows
      .toSorted((a, b) => order.indexOf(a.tone) - order.indexOf(b.tone))
      .map((row) => ({
        tone: row.tone,
        state: row.state,
        variant_id: row.variantId,
        duration_s: row.durationS,
        updated_at: row.updatedAt,
        detail: row.detail,
      })),
    source:
      avatar.sourceFilename !== null && avatar.sourceSha256 !== null
        ? { kind: avatar.sourceKind, filename: avatar.sourceFilename, sha256: avatar.sourceSha256 }
        : null,
    framing: avatar.framing,
    capabilities: { can_generate: reason === "", reason },
    build: avatar.build,
    served_by: "portal",
  });
}

/**
 * A newly signed URL of a tone's clip: of the caller's own avatar of this id, whether or not it has one; where the caller
 * has no such avatar, of a published one.
 */
export async function readClipVideo(
  db: D1Database,
  signer: Signer | null,
  { account, avatarId, tone: toneText }: { account: string; avatarId: string; tone: string },
): Promise<Outcome<z.infer<typeof clipVideoSchema>>> {
  const tone = toneSchema.safeParse(toneText);
  if (!tone.success) return unknownAvatar;
  const clip = await findPlayable(db, { account, avatarId }, tone.data);
  if (!clip) return unknownAvatar;
  if (!signer) return failure("clip_video_unavailable", noStorage);
  const expiresIn = limits.signedUrlSeconds;
  return success({
    url: await signer.get(archivePrefix(clip.archiveId) + clip.filename),
    expires_in: expiresIn,
    expires_at: nowSeconds() + expiresIn,
    tone: tone.data,
    updated_at: clip.storedAt,
  });
}

/** What is wrong with files that a box means to archive; null when nothing is. */
function faultOf(files: readonly ArchiveFile[]): Outcome<never> | null {
  if (new Set(files.map(({ filename }) => filename)).size !== files.length) {
    return failure("invalid_upload", "A file name occurs twice.");
  }
  for (const { filename, role, tone, content_type: type, size } of files) {
    if ((role === "clip") !== (tone !== null)) {
      return failure("invalid_upload", `${filename}: a clip has a tone, and nothing else has.`);
    }
    if ((role === "clip" && isImage(type)) || (role === "still" && !isImage(type))) {
      return failure("invalid_upload", `${filename}: a ${role} is not of the type ${type}.`);
    }
    const most = isImage(type) ? limits.imageBytes : limits.uploadVideoBytes;
    if (size > most) return failure("upload_too_large", `${filename}: at most ${most} bytes are taken.`);
  }
  return null;
}

/** Grants PUTs into an avatar's archive; a file that was there under the same name is replaced. */
export async function grantArchive(
  db: D1Database,
  signer: Signer | null,
  { account, avatar_id: avatarId, made_at: madeAt, files }: ArchiveRequest,
): Promise<Outcome<PutGrant[]>> {
  const fault = faultOf(files);
  if (fault) return fault;
  const key = { account, avatarId };
  const archive = await findArchive(db, key, madeAt ?? null);
  if (!archive) return noAvatar;
  if (!signer) return failure("media_unavailable", noStorage);
  const { archiveId } = archive;
  const folder = archivePrefix(archiveId);
  // Signed before it is noted: no grant then outlives an erasure by more than its own life.
  const grants = await Promise.all(
    files.map(({ filename, content_type: contentType, size }) =>
      signer.put(folder + filename, { contentType, size }),
    ),
  );
  return (await insertGranted(db, key, { archiveId, files })) ? success(grants) : noAvatar;
}

/** Checks files that were PUT and counts them as stored. What is not as it was granted is removed from storage. */
export async function closeArchive(
  { db, media }: Pick<Env, "db" | "media">,
  { account, avatar_id: avatarId, made_at: madeAt, files }: ArchiveRequest,
): Promise<Outcome<null>> {
  const key = { account, avatarId };
  const archive = await findArchive(db, key, madeAt ?? null);
  if (!archive) return noAvatar;
  const { archiveId } = archive;
  const folder = archivePrefix(archiveId);
  const granted = new Map(archive.files.map((row) => [row.filename, row]));
  for (const file of files) {
    const row = granted.get(file.filename);
    if (
      !row ||
      row.sha256 !== file.sha256 ||
      row.size !== file.size ||
      row.contentType !== file.content_type
    ) {
      return failure("invalid_upload", `${file.filename}: no such file was granted.`);
    }
    const expected = { key: folder + row.filename, size: row.size, contentType: row.contentType };
    try {
      if (await isAsGranted(media, expected)) continue;
      await unmarkStored(db, key, row.filename);
      await media.delete(expected.key);
    } catch (cause) {
      return failure("media_unavailable", "The media storage does not answer.", cause);
    }
    return failure("invalid_upload", `${file.filename}: what was stored is not what was granted.`);
  }
  return (await markStored(db, key, { archiveId, files, at: nowSeconds() })) ? success(null) : noAvatar;
}
