// Whether there is room for one more recording.

import { readdir, stat, statfs } from "node:fs/promises";
import { join } from "node:path";
import { Refusal } from "../failure.ts";

const gibibyte = 1024 ** 3;

export interface SpaceBounds {
  /** What is left free on the disk: a long session, and as much again while it is finished. */
  freeBytes: number;
  /** What all recordings on this box take together. */
  totalBytes: number;
}

export const spaceBounds: SpaceBounds = { freeBytes: 8 * gibibyte, totalBytes: 50 * gibibyte };

/** Rejects with Refusal `recordings_unavailable`. `root` need not exist yet; `stateDir`, in which it lies, does. */
export async function requireSpace(
  { root, stateDir }: { root: string; stateDir: string },
  { freeBytes, totalBytes }: SpaceBounds,
): Promise<void> {
  const { bavail, bsize } = await statfs(stateDir);
  if (bavail * bsize >= freeBytes && (await bytesUnder(root)) <= totalBytes) return;
  throw new Refusal(
    "recordings_unavailable",
    "Sessions cannot be recorded just now: the box has no room for one more recording.",
  );
}

async function bytesUnder(root: string): Promise<number> {
  const entries = await readdir(root, { recursive: true, withFileTypes: true }).catch(() => []);
  const sizes = await Promise.all(
    entries
      .filter((entry) => entry.isFile())
      .map((entry) =>
        stat(join(entry.parentPath, entry.name)).then(
          // A file with holes takes less than it is long.
          ({ blocks }) => blocks * 512,
          () => 0,
        ),
      ),
  );
  return sizes.reduce((sum, size) => sum + size, 0);
}
