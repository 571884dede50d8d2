// Recordings on disk, a folder each: the agreement beside what was recorded under it. Without its agreement nothing is kept, and
// whatever nobody takes goes after a month.

import { mkdir, open, readFile, readdir, rename, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { z } from "zod";
import { limits } from "../../contract/limits.ts";
import { liveFile } from "./session-recorder.ts";

const agreementSchema = z.object({
  session_id: z.string().regex(/^[\w-]{1,100}$/),
  account: z.string(),
  terms_version: z.string(),
  terms_digest: z.string(),
  agreed_at: z.int(),
});
export type Agreement = z.infer<typeof agreementSchema>;

const agreementFile = "consent.json";
/** Empty: the portal has had a report of the session. */
const knownFile = "known";
export const finishedFile = "recording.mp4";
/** What could not be finished or stored, beside what still may be. */
const failedFolder = "failed";
/** Of a Matroska file: from here on there are pictures and sound. */
const cluster = Buffer.from([0x1f, 0x43, 0xb6, 0x75]);
const headBytes = 64 * 1024;

export interface WaitingRecording {
  dir: string;
  agreement: Agreement;
}

export class WaitingRecordings {
  readonly root: string;

  constructor(stateDir: string) {
    this.root = join(stateDir, "recordings");
  }

  /** Makes room for a recording, its agreement first. */
  async create(agreement: Agreement): Promise<WaitingRecording> {
    const dir = join(this.root, agreement.session_id);
    await mkdir(dir, { recursive: true, mode: 0o700 });
    const partial = join(dir, `.${agreementFile}.part`);
    await writeFile(partial, JSON.stringify(agreement), { mode: 0o600, flush: true });
    await rename(partial, join(dir, agreementFile));
    return { dir, agreement };
  }

  /** What an earlier life of the box has left; whatever has no agreement is removed. */
  async left(): Promise<WaitingRecording[]> {
    const names = (await readdir(this.root).catch(() => [])).filter((name) => name !== failedFolder);
    const found = await Promise.all(
      names.map(async (name) => {
        const dir = join(this.root, name);
        const agreement = await readAgreement(dir);
        // The disk may give it away at the next start.
        if (agreement === "unreadable") return [];
        if (agreement?.session_id === name) return [{ dir, agreement }];
        await rm(dir, { recursive: true, force: true });
        return [];
      }),
    );
    return found.flat().toSorted((a, b) => a.agreement.agreed_at - b.agreement.agreed_at);
  }

  /** There is a picture, or a sound. */
  async holds({ dir }: WaitingRecording): Promise<boolean> {
    const file = await open(join(dir, liveFile), "r").catch((error: unknown) => {
      if (isMissing(error)) return null;
      throw error;
    });
    if (!file) return false;
    try {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(headBytes), 0, headBytes, 0);
      return buffer.subarray(0, bytesRead).includes(cluster);
    } finally {
      await file.close();
    }
  }

  async markKnown({ dir }: WaitingRecording): Promise<void> {
    await writeFile(join(dir, knownFile), "", { mode: 0o600 });
  }

  isKnown({ dir }: WaitingRecording): Promise<boolean> {
    return stat(join(dir, knownFile)).then(
      () => true,
      () => false,
    );
  }

  async remove({ dir }: WaitingRecording): Promise<void> {
    await rm(dir, { recursive: true, force: true });
  }

  /** Takes it out of the way; put back by hand, the next start takes it up again. */
  async setAside({ dir, agreement }: WaitingRecording): Promise<void> {
    const folder = join(this.root, failedFolder);
    await mkdir(folder, { recursive: true, mode: 0o700 });
    const place = join(folder, agreement.session_id);
    await rm(place, { recursive: true, force: true });
    await rename(dir, place);
  }

  /** Removes what was set aside a month after it was recorded. Answers the sessions it was of. */
  async removeOld(): Promise<string[]> {
    const folder = join(this.root, failedFolder);
    const gone: string[] = [];
    for (const name of await readdir(folder).catch(() => [])) {
      const dir = join(folder, name);
      const agreement = await readAgreement(dir);
      if (agreement === "unreadable" || (agreement && !isOld(agreement))) continue;
      await rm(dir, { recursive: true, force: true });
      gone.push(name);
    }
    return gone;
  }
}

export function isOld({ agreed_at: agreedAt }: Agreement): boolean {
  return agreedAt < Date.now() / 1000 - limits.recordingWaitsSeconds;
}

/** Null: there is none, or none that counts. */
async function readAgreement(dir: string): Promise<Agreement | "unreadable" | null> {
  let text: string;
  try {
    text = await readFile(join(dir, agreementFile), "utf8");
  } catch (error) {
    return isMissing(error) ? null : "unreadable";
  }
  try {
    return agreementSchema.parse(JSON.parse(text));
  } catch {
    return null;
  }
}

function isMissing(error: unknown): boolean {
  return error instanceof Error && "code" in error && (error.code === "ENOENT" || error.code === "ENOTDIR");
}
