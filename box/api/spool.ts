// Uploaded files on their way into the library: in a private folder of the request, which goes with it.

import { createHash } from "node:crypto";
import { createWriteStream } from "node:fs";
import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { join } from "node:path";
import { Transform, type Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isDiskFull, Refusal } from "../failure.ts";

export interface SpooledFile {
  /** The multipart part it came in. */
  field: string;
  filename: string;
  contentType: string;
  path: string;
  size: number;
  /** Hex. */
  sha256: string;
}

const rootOf = (stateDir: string) => join(stateDir, "incoming");

/** Removes what requests of a box that was killed left behind. For the start, before any request. */
export function clearSpool(stateDir: string): Promise<void> {
  return rm(rootOf(stateDir), { recursive: true, force: true });
}

/** Requests that write files at once, by state folder: each may hold as much as its body may have. */
const most = 4;
const busy = new Map<string, number>();

export class Spool {
  readonly #folder: string;
  #count = 0;

  private constructor(folder: string) {
    this.#folder = folder;
  }

  /**
   * Runs what needs files, and removes whatever of them is still there afterwards. Rejects with Refusal too_many_builds,
   * before anything is read, where as many are at it already as the disk has room for.
   */
  static async use<Result>(stateDir: string, action: (spool: Spool) => Promise<Result>): Promise<Result> {
    const others = busy.get(stateDir) ?? 0;
    if (others >= most)
      throw new Refusal("too_many_builds", "Too many files are being uploaded; try again in a moment.", {
        headers: { "Retry-After": "10", Connection: "close" },
      });
    busy.set(stateDir, others + 1);
    try {
      return await Spool.#inFolder(rootOf(stateDir), action);
    } finally {
      const left = (busy.get(stateDir) ?? 1) - 1;
      if (left > 0) busy.set(stateDir, left);
      else busy.delete(stateDir);
    }
  }

  static async #inFolder<Result>(root: string, action: (spool: Spool) => Promise<Result>): Promise<Result> {
    await mkdir(root, { recursive: true, mode: 0o700 }).catch(refuseFull);
    const folder = await mkdtemp(join(root, "request-")).catch(refuseFull);
    try {
      return await action(new Spool(folder));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** Writes a stream to a new file. Rejects with `tooLarge` past the limit, and with Refusal storage_full. */
  async write(
    source: Readable,
    { limitBytes, tooLarge }: { limitBytes: number; tooLarge(): Refusal },
  ): Promise<Pick<SpooledFile, "path" | "size" | "sha256">> {
    const path = join(this.#folder, String(this.#count++));
    const hash = createHash("sha256");
    let size = 0;
    const measured = new Transform({
      transform(chunk: Buffer, _encoding, done) {
        size += chunk.length;
        hash.update(chunk);
        if (size > limitBytes) done(tooLarge());
        else done(null, chunk);
      },
    });
    try {
      await pipeline(source, measured, createWriteStream(path, { flags: "wx", mode: 0o600 }));
    } catch (error) {
      await rm(path, { force: true });
      return refuseFull(error);
    }
    return { path, size, sha256: hash.digest("hex") };
  }
}

function refuseFull(error: unknown): never {
  if (!isDiskFull(error)) throw error;
  throw new Refusal("storage_full", "The disk of this box is full; nothing was kept.", {
    cause: error,
    headers: { Connection: "close" },
  });
}
