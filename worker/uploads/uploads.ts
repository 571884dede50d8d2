// Uploads: granted as signed PUTs, checked once the bytes are there, and kept for a day.

import type { z } from "zod";
import type { uploadClaimAnswerSchema } from "../../contract/internal/avatars.ts";
import { limits } from "../../contract/limits.ts";
import { isImage, type UploadGrant, type UploadRequest } from "../../contract/uploads.ts";
import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { newId } from "../platform/ids.ts";
import { describeError, log } from "../platform/log.ts";
import { isAsGranted, type Signer } from "../platform/storage.ts";
import { beginsAs, headBytes } from "./formats.ts";
import { claim, dropExpired, findUpload, insertUpload, uploadPrefix, type UploadKey } from "./store.ts";

type Stores = Pick<Env, "db" | "media">;
type ClaimedUpload = z.infer<typeof uploadClaimAnswerSchema>;

const noSigner = failure(
  "uploads_unavailable",
  "No media storage is configured here, so nothing can be uploaded.",
);
const storeFailed = (cause: unknown) =>
  failure("uploads_unavailable", "The storage of uploads cannot be reached just now. Try again.", cause);
const tooManyWaiting = failure(
  "invalid_upload",
  `You have ${limits.uploadsWaiting} uploads that nothing was made of yet, which is the most an account may have. Each runs out a day after it was granted.`,
);
const unknownUpload = failure(
  "unknown_upload",
  "You have no such upload, it has run out, or its files have not all arrived.",
);

const mebibytes = (bytes: number) => `${bytes / (1024 * 1024)} MB`;

/** What is wrong with a request; null when nothing is. */
function faultOf({ files }: UploadRequest): Outcome<never> | null {
  const fields = files.map(({ field }) => field);
  const twice = fields.find((field, at) => fields.indexOf(field) !== at);
  if (twice !== undefined) return failure("invalid_upload", `"${twice}" occurs twice.`);
  if (!fields.includes("file")) return failure("invalid_upload", 'One of the files must be "file".');
  const still = files.find((file) => file.field !== "file" && isImage(file.content_type));
  if (still) return failure("invalid_upload", `"${still.field}": a take is a video.`);
  for (const { field, content_type: type, size } of files) {
    const most = isImage(type) ? limits.imageBytes : limits.uploadVideoBytes;
    if (size > most) {
      return failure("upload_too_large", `"${field}" is larger than ${mebibytes(most)}.`);
    }
  }
  const total = files.reduce((sum, { size }) => sum + size, 0);
  if (total > limits.uploadTotalBytes) {
    const most = mebibytes(limits.uploadTotalBytes);
    return failure("upload_too_large", `The files are larger than ${most} together.`);
  }
  return null;
}

/** Grants a PUT of each file. Fails with `invalid_upload`, `upload_too_large` or `uploads_unavailable`. */
export async function grantUpload(
  { db }: Pick<Env, "db">,
  signer: Signer | null,
  { account, request }: { account: string; request: UploadRequest },
): Promise<Outcome<UploadGrant>> {
  const fault = faultOf(request);
  if (fault) return fault;
  if (!signer) return noSigner;
  const now = nowSeconds();
  const uploadId = newId();
  try {
    const puts = await Promise.all(
      request.files.map(({ content_type: contentType, size }, at) =>
        signer.put(`${uploadPrefix(uploadId)}${at}`, { contentType, size }),
      ),
    );
    const expiresIn = limits.signedUrlSeconds;
    const files = request.files.flatMap(({ field, filename }, at) => {
      const put = puts[at];
      return put ? [{ ...put, field, filename, expires_in: expiresIn, expires_at: now + expiresIn }] : [];
    });
    const row = {
      id: uploadId,
      account,
      files: request.files.map(({ field, filename, content_type: contentType, size }) => ({
        field,
        filename,
        contentType,
        size,
      })),
      createdAt: now,
      expiresAt: now + limits.uploadKeptSeconds,
    };
    if (!(await insertUpload(db, row, limits.uploadsWaiting))) return tooManyWaiting;
    return success({ upload_id: uploadId, files });
  } catch (cause) {
    return storeFailed(cause);
  }
}

export interface OpenedFile {
  /** `file`, or `take__` and a tone. */
  field: string;
  filename: string;
  contentType: string;
  /** In bytes. */
  size: number;
  /** Of the object in storage. */
  key: string;
}

export interface OpenedUpload {
  uploadId: string;
  /** In the order they were granted; one of them has the field `file`. */
  files: OpenedFile[];
}

type Arrival = "right" | "wrong" | "missing";

async function arrivalOf(media: R2Bucket, { key, size, contentType }: OpenedFile): Promise<Arrival> {
  if (!(await isAsGranted(media, { key, size, contentType }))) {
    return (await media.head(key)) === null ? "missing" : "wrong";
  }
  const object = await media.get(key, { range: { offset: 0, length: Math.min(size, headBytes) } });
  if (!object) return "missing";
  return beginsAs(contentType, new Uint8Array(await object.arrayBuffer())) ? "right" : "wrong";
}

/** Removes what was PUT under a grant. What storage refuses now goes when the grant runs out. */
async function discard(media: R2Bucket, files: readonly OpenedFile[]): Promise<void> {
  try {
    await media.delete(files.map(({ key }) => key));
  } catch (error) {
    log("error", "upload_discard", describeError(error));
  }
}

/**
 * The account's upload, once every file is there with the size and content type it was granted for and begins as a file
 * of that type. Fails with `unknown_upload` when the grant is missing, somebody else's or has run out, or a file is not
 * there yet; with `invalid_upload` when a file is not what was granted, whereupon all of them are removed; and with
 * `uploads_unavailable` when a store fails. Whether the upload was claimed by a box makes no difference.
 */
export async function openUpload(
  { db, media }: Stores,
  { account, uploadId }: UploadKey,
): Promise<Outcome<OpenedUpload>> {
  try {
    const row = await findUpload(db, { account, uploadId }, nowSeconds());
    if (!row) return unknownUpload;
    const files = row.files.map((file, at) => ({ ...file, key: `${uploadPrefix(uploadId)}${at}` }));
    const arrivals = await Promise.all(files.map((file) => arrivalOf(media, file)));
    const wrong = files.find((_file, at) => arrivals[at] === "wrong");
    if (wrong) {
      await discard(media, files);
      return failure("invalid_upload", `"${wrong.field}" is not the file that was granted.`);
    }
    return arrivals.includes("missing") ? unknownUpload : success({ uploadId, files });
  } catch (cause) {
    return storeFailed(cause);
  }
}

/** Takes up an upload for the avatar it is for, once: whoever comes second hears `unknown_upload`. */
export async function claimUpload(
  stores: Stores,
  signer: Signer | null,
  key: UploadKey,
): Promise<Outcome<ClaimedUpload>> {
  if (!signer) return noSigner;
  const opened = await openUpload(stores, key);
  if (!opened.ok) return opened;
  try {
    const files = await Promise.all(
      opened.value.files.map(async ({ field, filename, contentType, size, key: objectKey }) => ({
        field,
        filename,
        content_type: contentType,
        size,
        url: await signer.get(objectKey),
      })),
    );
    return (await claim(stores.db, key, nowSeconds())) ? success({ files }) : unknownUpload;
  } catch (cause) {
    return storeFailed(cause);
  }
}

/** The scheduled clean-up's share: uploads that have run out go, with whatever was PUT for them. */
export async function cleanUpUploads({ db }: Env): Promise<void> {
  await dropExpired(db, nowSeconds());
}
