// Whose the voices are that were cloned here: kept on disk, since a server may list a clone under any id it likes.

import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { z } from "zod";
import { isDiskFull, Refusal } from "../../failure.ts";

const cloneSchema = z.strictObject({
  id: z.string().min(1).max(200),
  /** The mark of its account. */
  owner: z.string().min(1),
  name: z.string(),
});
const fileSchema = z.strictObject({ clones: z.array(cloneSchema) });

export type Clone = z.infer<typeof cloneSchema>;

export class CloneRecord {
  readonly #path: string | null;
  readonly #clones = new Map<string, Clone>();
  #broken = false;
  #saved: Promise<void> = Promise.resolve();

  private constructor(path: string | null) {
    this.#path = path;
  }

  /** `path` null: for as long as the process lives. Never rejects: a record that cannot be read is `broken`. */
  static async open(path: string | null): Promise<CloneRecord> {
    const record = new CloneRecord(path);
    if (path !== null) await record.#load(path);
    return record;
  }

  /** It is there and cannot be read, so that nobody knows whose a voice is. */
  get broken(): boolean {
    return this.#broken;
  }

  get all(): Clone[] {
    return [...this.#clones.values()];
  }

  get(id: string): Clone | null {
    return this.#clones.get(id) ?? null;
  }

  /** Rejects with Refusal `storage_full`; the clone is known until the process ends even so. */
  async add(clone: Clone): Promise<void> {
    this.#clones.set(clone.id, clone);
    await this.save();
  }

  /** Rejects where a clone could not be recorded: to be found out before there is one. */
  save(): Promise<void> {
    const path = this.#path;
    if (path === null) return Promise.resolve();
    // One after the other, each with everything that is known by then.
    const saved = this.#saved.then(() => this.#write(path));
    this.#saved = saved.catch(() => undefined);
    return saved;
  }

  async #write(path: string): Promise<void> {
    const fresh = `${path}.${randomUUID()}.new`;
    try {
      await mkdir(dirname(path), { recursive: true, mode: 0o700 });
      await writeFile(fresh, JSON.stringify({ clones: this.all }), { mode: 0o600, flag: "wx", flush: true });
      await rename(fresh, path);
    } catch (error) {
      await rm(fresh, { force: true }).catch(() => undefined);
      if (!isDiskFull(error)) throw error;
      throw new Refusal("storage_full", "The disk of this box is full; nothing was kept.", { cause: error });
    }
  }

  async #load(path: string): Promise<void> {
    try {
      await clearRemains(path);
      const { clones } = fileSchema.parse(JSON.parse(await readFile(path, "utf8")));
      for (const clone of clones) this.#clones.set(clone.id, clone);
    } catch (error) {
      this.#broken = (error as NodeJS.ErrnoException).code !== "ENOENT";
    }
  }
}

/** What a box that was killed had not finished. */
async function clearRemains(path: string): Promise<void> {
  const folder = dirname(path);
  for (const name of await readdir(folder))
    if (name.startsWith(`${basename(path)}.`) && name.endsWith(".new"))
      await rm(join(folder, name), { force: true });
}
