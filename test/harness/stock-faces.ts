// The stock avatars that boxes of one run of tests start with: prepared by the first of them, taken over by all others.

import { mkdtempSync, rmSync } from "node:fs";
import { link, mkdir, readdir, rename, rmdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Names the folder they are kept in; where it is not set every box prepares its own. */
const folderVariable = "VISAVIS_TEST_FACES";

/** Global set-up of the unit tests. */
export default function setup(): () => void {
  const folder = mkdtempSync(join(tmpdir(), "visavis-faces-"));
  process.env[folderVariable] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}

/**
 * Puts them into the state folder of a box that has not started. Undefined when they are there; else this box is the one to
 * prepare them, and says by the answer whether it did.
 */
export async function takeStockFaces(
  stateDir: string,
): Promise<((prepared: boolean) => Promise<void>) | undefined> {
  const folder = process.env[folderVariable];
  if (!folder) return undefined;
  const kept = join(folder, "avatars");
  const mine = join(folder, "being-prepared");
  for (;;) {
    try {
      await linkTree(kept, join(stateDir, "avatars"));
      return undefined;
    } catch (error) {
      if (codeOf(error) !== "ENOENT") throw error;
    }
    try {
      await mkdir(mine);
      break;
    } catch (error) {
      if (codeOf(error) !== "EEXIST") throw error;
    }
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
  }
  return async (prepared) => {
    const part = `${kept}.part`;
    if (prepared) await linkTree(join(stateDir, "avatars"), part);
    if (prepared) await rename(part, kept);
    else await rmdir(mine);
  };
}

/** The box replaces its files and never writes into them: they can be in two places at once. */
async function linkTree(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true });
  await mkdir(to, { recursive: true });
  for (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkTree(source, target);
    else await link(source, target);
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
