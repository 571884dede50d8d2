// Announces each step of the set-up, times it, and says when there was nothing to do.

import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

export const root = join(import.meta.dirname ?? dirname(new URL(import.meta.url).pathname), "..");

/** A failure whose message is all the user needs; its stack is not printed. */
export class SetupError extends Error {}

/**
 * Runs one announced step. `current` (optional) answers true when there is nothing to do.
 * @param {string} title
 * @param {{ current?: () => boolean, work: () => void | Promise<void> }} step
 */
export async function step(title, { current, work }) {
  if (current?.()) {
    console.log(`✓ ${title}: up to date`);
    return;
  }
  console.log(`▸ ${title} …`);
  const start = Date.now();
  await work();
  console.log(`✓ ${title} (${((Date.now() - start) / 1000).toFixed(1)} s)`);
}

/** SHA-256 over the names and contents of files and folders, without build results. */
export function digest(...paths) {
  const hash = createHash("sha256");
  const visit = (path) => {
    const full = join(root, path);
    if (!existsSync(full)) return;
    if (statSync(full).isDirectory()) {
      for (const name of readdirSync(full).sort()) {
        if (!["node_modules", "build", "dist", "__pycache__"].includes(name)) visit(join(path, name));
      }
    } else {
      hash.update(path).update("\0").update(readFileSync(full)).update("\0");
    }
  };
  for (const path of paths) visit(path);
  return hash.digest("hex");
}

/** A file that remembers what a step was last done for. */
export function stamp(path) {
  return {
    matches: (value) => existsSync(path) && readFileSync(path, "utf8") === value,
    write: (value) => {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, value);
    },
  };
}
