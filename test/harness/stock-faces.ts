// The stock avatars that boxes of one run of tests start with: prepared by the first of them, taken over by all others.

import { mkdtempSync, rmSync } from "node:fs";
import { copyFile, link, mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
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
    if (await claim(mine)) break;
    await new Promise((resolve) => {
      setTimeout(resolve, 200);
    });
  }
  // The next box tries.
  const giveUp = () => rm(mine, { force: true });
  return async (prepared) => {
    if (!prepared) return giveUp();
    const part = `${kept}.${process.pid}.part`;
    try {
      await linkTree(join(stateDir, "avatars"), part);
      await rename(part, kept);
    } catch (error) {
      await rm(part, { recursive: true, force: true });
      // Two took over from the same one, and the other was quicker.
      if (["ENOTEMPTY", "EEXIST"].includes(codeOf(error) ?? "")) return;
      await giveUp();
      throw error;
    }
  };
}

/** Writes into a file which process is to prepare them. One that is no more is taken over from, at the next attempt. */
async function claim(file: string): Promise<boolean> {
  try {
    await writeFile(file, String(process.pid), { flag: "wx" });
    return true;
  } catch (error) {
    if (codeOf(error) !== "EEXIST") throw error;
  }
  const holder = Number(await readFile(file, "utf8").catch(() => ""));
  if (holder > 0 && !isAlive(holder)) await rm(file, { force: true });
  return false;
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return codeOf(error) === "EPERM";
  }
}

/** The box replaces its files and never writes into them: they can be in two places at once. */
async function linkTree(from: string, to: string): Promise<void> {
  const entries = await readdir(from, { withFileTypes: true });
  await mkdir(to, { recursive: true });
  for (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isDirectory()) await linkTree(source, target);
    else await linkOrCopy(source, target);
  }
}

/** Where the two lie on different disks, or the machine allows no links, the file is there twice. */
async function linkOrCopy(source: string, target: string): Promise<void> {
  try {
    await link(source, target);
  } catch (error) {
    if (!["EXDEV", "EPERM"].includes(codeOf(error) ?? "")) throw error;
    await copyFile(source, target);
  }
}

const codeOf = (error: unknown) => (error as NodeJS.ErrnoException).code;
