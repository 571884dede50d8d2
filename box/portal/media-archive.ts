// Hands the source, the still and the clips of each ready avatar to the portal's archive, where they outlive this box.

import { openAsBlob } from "node:fs";
import { stat } from "node:fs/promises";
import type { ArchivableFile } from "../avatars/archiving.ts";
import type { ArchiveFile } from "../../contract/internal/avatars.ts";
import type { PutGrant } from "../../contract/uploads.ts";
import type { AvatarEntry } from "../avatars/library.ts";
import { digestOfFile } from "../avatars/upload.ts";
import type { Faces } from "../live/faces.ts";
import { describeError, type Log } from "../ops/log.ts";
import { PortalError, type ArchiveRequest, type PortalClient } from "./client.ts";
import { ReportQueue } from "./reports.ts";

/** A slow line carries 15 MB in this time, and a video of 200 MB in the longer one. */
const putWithinMs = 120_000;
const putVideoWithinMs = 900_000;

const refusals = new Set([400, 404, 413]);

export interface MediaArchiveOptions {
  portal: Pick<PortalClient, "grantArchive" | "closeArchive">;
  faces: Pick<Faces, "archivable" | "markArchived">;
  log: Log;
  /** The first wait after a failure; it doubles up to a minute. */
  retryMs?: number;
}

interface Job {
  account: string;
  id: string;
  madeAt: number;
}

export class MediaArchive {
  readonly #options: MediaArchiveOptions;
  readonly #queue: ReportQueue<Job>;
  readonly #closing = new AbortController();
  #failing = false;

  constructor(options: MediaArchiveOptions) {
    this.#options = options;
    this.#queue = new ReportQueue<Job>({
      deliver: (job) => this.#archive(job),
      onFailure: (error) => {
        // One line for a lapse, however long it lasts, and none for having been told to stop.
        if (!this.#failing && !this.#closing.signal.aborted)
          options.log.warn(describeError(error), "the archive does not take an avatar's files");
        this.#failing = true;
      },
      ...(options.retryMs !== undefined && { retryMs: options.retryMs }),
    });
  }

  add({ owner, id, madeAt }: AvatarEntry): void {
    if (owner !== null) this.#queue.add({ account: owner, id, madeAt });
  }

  /** Gives up whatever is under way; the next start of the box takes it up again. */
  close(): Promise<void> {
    this.#closing.abort();
    return this.#queue.close();
  }

  async #archive({ account, id, madeAt }: Job): Promise<void> {
    this.#closing.signal.throwIfAborted();
    const { portal, faces, log } = this.#options;
    const found = await faces.archivable(account, id);
    if (!found) return;
    const request: ArchiveRequest = {
      account,
      avatar_id: id,
      made_at: madeAt,
      files: await Promise.all(found.files.map(describe)),
    };
    try {
      const grants = await portal.grantArchive(request);
      for (const [at, grant] of grants.entries()) await this.#put(grant, found.files[at]);
      await portal.closeArchive(request);
    } catch (error) {
      // An avatar that the library does not hold, or files it will never take, are not sent again.
      if (!(error instanceof PortalError && refusals.has(error.status))) throw error;
      log.warn({ avatar: id, status: error.status }, "the portal refused an avatar's files");
      return;
    }
    this.#failing = false;
    await faces.markArchived(id, found.builds);
  }

  async #put({ url, headers }: PutGrant, file: ArchivableFile | undefined): Promise<void> {
    if (!file) throw new Error("the portal granted more files than it was asked for");
    const timeoutMs = file.content_type.startsWith("video/") ? putVideoWithinMs : putWithinMs;
    const response = await fetch(url, {
      method: "PUT",
      headers,
      // It is read from the disk as it goes out.
      body: await openAsBlob(file.path),
      redirect: "error",
      signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(timeoutMs)]),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`storage answered ${response.status} to a PUT`);
  }
}

async function describe({ path, ...file }: ArchivableFile): Promise<ArchiveFile> {
  const [{ size }, sha256] = await Promise.all([stat(path), digestOfFile(path)]);
  return { ...file, size, sha256 };
}
