// Recordings on disk, a folder each: the agreement beside what was recorded under it. Without its agreement nothing is kept.

import { mkdir, readFile, readdir, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";

const agreementSchema = z.object({
  session_id: z.string().regex(/^[\w-]{1,100}$/),
  account: z.string(),
  terms_version: z.string(),
  terms_digest: z.string(),
  agreed_at: z.int(),
});
export type Agreement = z.infer<typeof agreementSchema>;

const agreementFile = "consent.json";
export const finishedFile = "recording.mp4";

export interface WaitingRecording {
  dir: string;
  agreement: Agreement;
}

export class WaitingRecordings {
  readonly #root: string;

  constructor(stateDir: string) {
    this.#root = join(stateDir, "recordings");
  }

  /** Makes room for a recording, its agreement first. */
  async create(agreement: Agreement): Promise<WaitingRecording> {
    const dir = join(this.#root, agreement.session_id);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const partial = join(dir, `.${agreementFile}.part`);
    await writeFile(partial, JSON.stringify(agreement), { mode: 0o600, flush: true });
    await rename(partial, join(dir, agreementFile));
    return { dir, agreement };
  }

  /** What an earlier life of the box has left; whatever has no agreement is removed. */
  async left(): Promise<WaitingRecording[]> {
    const names = await readdir(this.#root).catch(() => []);
    const found = await Promise.all(
      names.map(async (name) => {
        const dir = join(this.#root, name);
        const agreement = await readAgreement(dir);
        if (agreement?.session_id === name) return [{ dir, agreement }];
        await rm(dir, { recursive: true, force: true });
        return [];
      }),
    );
    return found.flat().toSorted((a, b) => a.agreement.agreed_at - b.agreement.agreed_at);
  }

  async remove({ dir }: WaitingRecording): Promise<void> {
    await rm(dir, { recursive: true, force: true });
  }
}

async function readAgreement(dir: string): Promise<Agreement | null> {
  try {
    return agreementSchema.parse(JSON.parse(await readFile(join(dir, agreementFile), "utf8")));
  } catch {
    return null;
  }
}
