// The files of an upload that went straight to storage, fetched from there.

import { Readable } from "node:stream";
import type { ReadableStream } from "node:stream/web";
import { setTimeout as sleep } from "node:timers/promises";
import type { ClaimedUpload } from "../../contract/internal/avatars.ts";
import { Refusal } from "../failure.ts";
import type { Portal } from "../portal/portal.ts";
import type { Spool, SpooledFile } from "./spool.ts";

/** A slow line carries 200 MB in this time. */
const fetchWithinMs = 600_000;
/** A storage that says nothing for so long has gone. */
const silentMs = 30_000;
const waitsMs = [200, 1_000, 3_000];

/** Storage answers this where waiting does not help. */
const gone = new Set([400, 403, 404, 410]);

class StorageError extends Error {
  readonly lasting: boolean;

  constructor(message: string, lasting = false) {
    super(message);
    this.name = "StorageError";
    this.lasting = lasting;
  }
}

/**
 * Claims an upload and fetches its files. Rejects with Refusal unknown_upload, or uploads_unavailable: where its message says
 * so the claim is spent, and the files have to be uploaded again.
 */
export async function fetchUpload({
  portal,
  account,
  uploadId,
  spool,
}: {
  portal: Pick<Portal, "claimUpload">;
  account: string;
  uploadId: string;
  spool: Spool;
}): Promise<SpooledFile[]> {
  const { files } = await portal.claimUpload(account, uploadId);
  const fetched: SpooledFile[] = [];
  for (const file of files) fetched.push(await fetchFile(file, spool));
  return fetched;
}

async function fetchFile(file: ClaimedUpload["files"][number], spool: Spool): Promise<SpooledFile> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await fetchOnce(file, spool);
    } catch (error) {
      if (error instanceof Refusal) throw error;
      const waitMs = waitsMs[attempt];
      if (waitMs === undefined || (error instanceof StorageError && error.lasting)) throw unfetched(error);
      await sleep(waitMs);
    }
  }
}

/** The address is signed, so nothing that may repeat it goes into an error. */
function unfetched(error: unknown): Refusal {
  const cause = error instanceof StorageError ? error : new StorageError("the storage could not be reached");
  return new Refusal(
    "uploads_unavailable",
    "The upload was taken up, but its files could not be fetched from storage. Upload them again.",
    { cause },
  );
}

async function fetchOnce(
  { url, size, field, filename, content_type }: ClaimedUpload["files"][number],
  spool: Spool,
): Promise<SpooledFile> {
  const silence = new AbortController();
  const timer = setTimeout(() => silence.abort(), silentMs);
  try {
    const signal = AbortSignal.any([silence.signal, AbortSignal.timeout(fetchWithinMs)]);
    const response = await fetch(url, { redirect: "error", signal });
    if (response.status !== 200 || !response.body) {
      await response.body?.cancel();
      throw new StorageError(`storage answered ${response.status} to a GET`, gone.has(response.status));
    }
    const source = Readable.fromWeb(response.body as ReadableStream);
    source.on("data", () => timer.refresh());
    source.pause();
    const tooLarge = () =>
      new Refusal("uploads_unavailable", "An uploaded file is larger than it was said to be.");
    const written = await spool.write(source, { limitBytes: size, tooLarge });
    if (written.size !== size) throw new StorageError("storage ended a file early");
    return { field, filename, contentType: content_type, ...written };
  } finally {
    clearTimeout(timer);
  }
}
