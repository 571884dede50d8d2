// Hands the photograph and the still of each ready avatar to the portal's archive, where they outlive this box.

import { createHash } from "node:crypto";
import type { ArchiveFile } from "../../contract/internal/avatars.ts";
import type { PutGrant } from "../../contract/uploads.ts";
import type { AvatarEntry } from "../avatars/library.ts";
import type { Faces } from "../live/faces.ts";
import { describeError, type Log } from "../ops/log.ts";
import { PortalError, type ArchiveRequest, type PortalClient } from "./client.ts";
import { ReportQueue } from "./reports.ts";

/** A slow line carries 15 MB in this time. */
const putWithinMs = 120_000;

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
    const bytes = [found.source, found.still];
    const request: ArchiveRequest = {
      account,
      avatar_id: id,
      made_at: madeAt,
      files: [describe("source", found.source), describe("still", found.still)],
    };
    try {
      const grants = await portal.grantArchive(request);
      await Promise.all(grants.map((grant, at) => this.#put(grant, bytes[at] ?? Buffer.alloc(0))));
      await portal.closeArchive(request);
    } catch (error) {
      // An avatar that the library does not hold, or files it will never take, are not sent again.
      if (!(error instanceof PortalError && refusals.has(error.status))) throw error;
      log.warn({ avatar: id, status: error.status }, "the portal refused an avatar's files");
      return;
    }
    this.#failing = false;
    await faces.markArchived(id, found.build);
  }

  async #put({ url, headers }: PutGrant, body: Buffer): Promise<void> {
    const response = await fetch(url, {
      method: "PUT",
      headers,
      body: new Uint8Array(body),
      redirect: "error",
      signal: AbortSignal.any([this.#closing.signal, AbortSignal.timeout(putWithinMs)]),
    });
    await response.body?.cancel();
    if (!response.ok) throw new Error(`storage answered ${response.status} to a PUT`);
  }
}

function describe(role: "source" | "still", bytes: Buffer): ArchiveFile {
  return {
    role,
    tone: null,
    filename: `${role}.jpg`,
    content_type: "image/jpeg",
    size: bytes.length,
    sha256: createHash("sha256").update(bytes).digest("hex"),
  };
}
