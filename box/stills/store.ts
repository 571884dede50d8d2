// Jobs on disk: `<root>/<id>/job.json`, the photograph until it has been used, and the still. Files are replaced by renaming.

import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const idPattern = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const jobSchema = z.strictObject({
  id: z.string(),
  account: z.string(),
  note: z.string().nullable(),
  look: z.record(z.string(), z.string()).nullable(),
  /** Seconds. */
  created_at: z.int(),
  outcome: z.discriminatedUnion("case", [
    z.strictObject({ case: z.literal("pending") }),
    z.strictObject({ case: z.literal("running") }),
    z.strictObject({ case: z.literal("done"), identity_score: z.number() }),
    z.strictObject({
      case: z.literal("failed"),
      error: z.enum(["not_the_same_person", "bad_request", "generation_failed"]),
    }),
  ]),
});
export type Job = z.infer<typeof jobSchema>;

export class StillStore {
  readonly #root: string;

  constructor(root: string) {
    this.#root = root;
  }

  /** Every job that can be read; whatever else is in the folder was half made and goes. */
  async load(): Promise<Job[]> {
    await mkdir(this.#root, { recursive: true, mode: 0o700 });
    const jobs: Job[] = [];
    for (const name of await readdir(this.#root)) {
      const job = idPattern.test(name) ? await this.#read(name) : null;
      if (job) jobs.push(job);
      else await rm(join(this.#root, name), { recursive: true, force: true });
    }
    return jobs;
  }

  /** Keeps a new job with its photograph; nothing is left of one that fails. */
  async add(job: Job, photograph: Uint8Array): Promise<void> {
    const folder = join(this.#root, job.id);
    try {
      await mkdir(folder, { recursive: true, mode: 0o700 });
      await this.#write(join(folder, "photograph.jpg"), photograph);
      await this.save(job);
    } catch (error) {
      await this.remove(job.id).catch(() => undefined);
      throw error;
    }
  }

  async save(job: Job): Promise<void> {
    await this.#write(join(this.#root, job.id, "job.json"), JSON.stringify(job));
  }

  photograph(id: string): Promise<Buffer> {
    return readFile(join(this.#root, id, "photograph.jpg"));
  }

  async dropPhotograph(id: string): Promise<void> {
    await rm(join(this.#root, id, "photograph.jpg"), { force: true });
  }

  async saveStill(id: string, png: Uint8Array): Promise<void> {
    await this.#write(join(this.#root, id, "still.png"), png);
  }

  still(id: string): Promise<Buffer> {
    return readFile(join(this.#root, id, "still.png"));
  }

  async remove(id: string): Promise<void> {
    await rm(join(this.#root, id), { recursive: true, force: true });
  }

  async #read(id: string): Promise<Job | null> {
    const folder = join(this.#root, id);
    try {
      for (const name of await readdir(folder)) if (name.endsWith(".tmp")) await rm(join(folder, name));
      const job = jobSchema.parse(JSON.parse(await readFile(join(folder, "job.json"), "utf8")));
      return job.id === id ? job : null;
    } catch {
      return null;
    }
  }

  async #write(path: string, content: Uint8Array | string): Promise<void> {
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      await writeFile(temporary, content, { mode: 0o600 });
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true }).catch(() => undefined);
      throw error;
    }
  }
}
