// The name of the volume on which this box prepares avatars: it tells the portal where an erased one may still be.

import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";

const file = "weights-volume";

/** The name kept in the state folder; made at the first start and the same from then on. */
export async function keptWeightsVolume(stateDir: string): Promise<string> {
  const path = join(stateDir, file);
  const kept = (await readFile(path, "utf8").catch(() => "")).trim();
  if (/^[0-9a-f-]{36}$/.test(kept)) return kept;
  const made = randomUUID();
  await mkdir(stateDir, { recursive: true });
  const temporary = `${path}.${made}.tmp`;
  await writeFile(temporary, `${made}\n`);
  await rename(temporary, path);
  return made;
}
