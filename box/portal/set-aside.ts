// Reports that the portal fails at, each in a file of its own: for whoever runs the box to look at, and for a month.

import { mkdir, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";

const keptMs = 30 * 24 * 3600 * 1000;
const mostFiles = 1_000;

export async function setAside(
  dir: string,
  { number, text }: { number: number; text: string },
): Promise<void> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const name = `${String(number).padStart(15, "0")}.json`;
  await writeFile(join(dir, `.${name}.part`), text, { mode: 0o600, flush: true });
  await rename(join(dir, `.${name}.part`), join(dir, name));
  await clearSetAside(dir);
}

/** Removes what nobody has looked at. Never rejects. */
export async function clearSetAside(dir: string): Promise<void> {
  const names = (await readdir(dir).catch(() => [])).toSorted().toReversed();
  for (const [index, name] of names.entries()) {
    const facts = await stat(join(dir, name)).catch(() => null);
    const old = facts !== null && facts.mtimeMs < Date.now() - keptMs;
    if (old || index >= mostFiles || name.endsWith(".part"))
      await rm(join(dir, name), { force: true }).catch(() => undefined);
  }
}
