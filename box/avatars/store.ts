import { randomUUID } from "node:crypto";
import { existsSync } from "node:fs";
import { copyFile, mkdir, open, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { avatarStateSchema } from "../../contract/avatars.ts";
import { AVATAR_ID } from "./ids.ts";
import { buildsOf, type AvatarRecord } from "./record.ts";

export type { AvatarRecord } from "./record.ts";

const RECORD_FILE = "avatar.json";
/** The photograph, or the still of a video, as avatars are built from it again: upright, without metadata. */
export const SOURCE_FILE = "source.jpg";
const CHOICES_FILE = "active.json";
const BUILD_PREFIX = "build-";
const UPLOAD_PREFIX = "upload-";

/** A file on its way into an upload's folder. */
export interface UploadFile {
  name: string;
  /** Written from memory, moved from another place on this disk, or, with `keep`, left there as well. */
  content: { bytes: Uint8Array } | { path: string; keep: boolean };
}

/**
 * The folders of the library: `<root>/<id>/` with avatar.json, one folder for the uploaded files and one a build. Files are
 * replaced by renaming, and folders are named by the record only once they are complete, so that a crash leaves either the
 * old or the new. The MP4 of an avatar's own loop comes later, by renaming as well.
 */
export class AvatarStore {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /**
   * Reads every record. Folders without one are half made, or on their way out, and removed, as is what no record names;
   * one that is there and cannot be read is told of and left as it is, for a start that can.
   */
  async load(onUnreadable: (id: string, error: unknown) => void): Promise<AvatarRecord[]> {
    await mkdir(this.root, { recursive: true });
    const records: AvatarRecord[] = [];
    for (const entry of await readdir(this.root, { withFileTypes: true })) {
      if (entry.name.endsWith(".tmp")) await rm(join(this.root, entry.name), { force: true });
      if (!entry.isDirectory() || !AVATAR_ID.test(entry.name)) continue;
      try {
        const record = await this.#readRecord(entry.name);
        await this.removeAllBut(record);
        await this.#removeParts(record);
        records.push(record);
      } catch (error) {
        if (!isMissing(error)) onUnreadable(entry.name, error);
        else if (!existsSync(join(this.root, entry.name, RECORD_FILE))) await this.remove(entry.name);
      }
    }
    return records;
  }

  async save(record: AvatarRecord): Promise<void> {
    await mkdir(join(this.root, record.id), { recursive: true });
    await this.#replace(join(this.root, record.id, RECORD_FILE), JSON.stringify(record, null, 2));
  }

  /** Keeps uploaded files in a folder of their own and answers its name; nothing is left of one that fails. */
  async saveUpload(id: string, files: readonly UploadFile[]): Promise<string> {
    const upload = `${UPLOAD_PREFIX}${randomUUID()}`;
    const folder = join(this.root, id, upload);
    await mkdir(folder, { recursive: true });
    try {
      for (const { name, content } of files) await place(join(folder, name), content);
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
    return upload;
  }

  /** Adds a file to an upload's folder. */
  async addToUpload(record: AvatarRecord, { name, content }: UploadFile): Promise<void> {
    const target = this.uploaded(record, name);
    const temporary = `${target}.${randomUUID()}.tmp`;
    try {
      await place(temporary, content);
      await rename(temporary, target);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }

  async saveSource(record: AvatarRecord, jpeg: Buffer): Promise<void> {
    await this.#replace(this.uploaded(record, SOURCE_FILE), jpeg);
  }

  /**
   * The picture that an avatar and its tones are built from: the photograph as it was uploaded, so that all of them see the
   * very same pixels; of a video, and where only that was kept, source.jpg.
   */
  async readPicture(record: AvatarRecord): Promise<Buffer> {
    const { kind = "photo", original } = record;
    const source = () => readFile(this.uploaded(record, SOURCE_FILE));
    if (kind === "video" || !original) return source();
    return readFile(this.uploaded(record, original.file)).catch(source);
  }

  /** Path of an uploaded file; of older records, which have no folder for them, beside avatar.json. */
  uploaded(record: AvatarRecord, file: string): string {
    return join(this.root, record.id, record.upload ?? "", file);
  }

  /** The name of a folder that does not exist yet. */
  newBuild(): string {
    return `${BUILD_PREFIX}${randomUUID()}`;
  }

  dirOf(id: string, build: string): string {
    return join(this.root, id, build);
  }

  /** Removes builds and uploads that the record does not name, but for those in `kept`, and what was half written. */
  async removeAllBut(record: AvatarRecord, kept: readonly (string | null)[] = []): Promise<void> {
    const needed = [...buildsOf(record), record.upload ?? null, ...kept];
    const folder = join(this.root, record.id);
    for (const name of await readdir(folder)) {
      const ours = name.startsWith(BUILD_PREFIX) || name.startsWith(UPLOAD_PREFIX);
      const stale = ours ? !needed.includes(name) : name.endsWith(".tmp");
      if (stale) await rm(join(folder, name), { recursive: true, force: true });
    }
    if (record.upload === undefined) return;
    await rm(join(folder, SOURCE_FILE), { force: true });
    const upload = join(folder, record.upload);
    for (const name of await readdir(upload).catch(() => []))
      if (name.endsWith(".tmp")) await rm(join(upload, name), { force: true });
  }

  /** Without its record a folder is cleared by the next start, whatever else of it is still in use. */
  removeRecord(id: string): Promise<void> {
    return rm(join(this.root, id, RECORD_FILE), { force: true });
  }

  remove(id: string): Promise<void> {
    return rm(join(this.root, id), { recursive: true, force: true });
  }

  /** Which avatar each account made active. */
  async loadChoices(): Promise<Map<string, string>> {
    try {
      return new Map(
        Object.entries(JSON.parse(await readFile(join(this.root, CHOICES_FILE), "utf8")) as object),
      );
    } catch {
      return new Map();
    }
  }

  saveChoices(choices: ReadonlyMap<string, string>): Promise<void> {
    return this.#replace(join(this.root, CHOICES_FILE), JSON.stringify(Object.fromEntries(choices), null, 2));
  }

  /** Of a complete build nothing but its MP4 can be half written. */
  async #removeParts(record: AvatarRecord): Promise<void> {
    for (const build of buildsOf(record)) {
      if (build === null) continue;
      const folder = this.dirOf(record.id, build);
      for (const name of await readdir(folder).catch(() => []))
        if (name.endsWith(".part")) await rm(join(folder, name), { force: true });
    }
  }

  async #readRecord(id: string): Promise<AvatarRecord> {
    const record = JSON.parse(await readFile(join(this.root, id, RECORD_FILE), "utf8")) as AvatarRecord;
    const known = avatarStateSchema.safeParse(record.status).success;
    if (record.id !== id || !known || typeof record.display_name !== "string")
      throw new Error("avatar.json is not one that this version of the box knows");
    return record;
  }

  async #replace(path: string, content: string | Buffer): Promise<void> {
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      // On the disk before it takes the place of what is there.
      await writeFile(temporary, content, { flush: true });
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
}

function isMissing(error: unknown): boolean {
  return (error as NodeJS.ErrnoException).code === "ENOENT";
}

/** A large upload is moved and never copied, unless it lies on another disk. */
async function place(target: string, content: UploadFile["content"]): Promise<void> {
  if ("bytes" in content) {
    await writeFile(target, content.bytes);
    return;
  }
  const { path, keep } = content;
  if (keep) {
    await copyFile(path, target);
    return;
  }
  try {
    await rename(path, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EXDEV") throw error;
    await copyFile(path, target);
  }
}

/** The first bytes of a file, as many as there are. */
export async function headOf(path: string, bytes: number): Promise<Buffer> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(bytes), 0, bytes, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
