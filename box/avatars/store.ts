import { randomUUID } from "node:crypto";
import { mkdir, readdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { avatarStateSchema, type AvatarState, type Framing } from "../../contract/avatars.ts";
import { AVATAR_ID } from "./ids.ts";

/** avatar.json. The build it names is complete: it is written after everything in that folder. */
export interface AvatarRecord {
  id: string;
  display_name: string;
  /** Account that uploaded it; null for stock avatars. */
  owner: string | null;
  status: AvatarState;
  detail: string;
  framing: Framing;
  gesture_amplitude: number;
  filename: string;
  /** SHA-256 of the file as it was uploaded, in hex. */
  sha256: string;
  /** PREPARATION_VERSION of the build. */
  version: number;
  /** Folder of the newest complete build, beside avatar.json; null before the first. */
  build: string | null;
  /** Where in the photograph the square lies that is shown, in fractions of its width and height; older records lack it. */
  square?: { x: number; y: number; w: number; h: number };
  /** When this photograph was taken in; a record that lacks it has had no other since `created_at`. */
  taken_at?: number;
  /** The build whose still, with its photograph, is in the portal's archive. */
  archived_build?: string;
  created_at: number;
  updated_at: number;
}

const RECORD_FILE = "avatar.json";
const SOURCE_FILE = "source.jpg";
const CHOICES_FILE = "active.json";
const BUILD_PREFIX = "build-";

/**
 * The folders of the library: `<root>/<id>/` with avatar.json, source.jpg and one folder a build. Files are replaced by renaming,
 * so that a crash leaves either the old or the new one.
 */
export class AvatarStore {
  readonly root: string;

  constructor(root: string) {
    this.root = root;
  }

  /** Reads every record. Folders without a readable one are half made and removed, as are builds that no record names. */
  async load(): Promise<AvatarRecord[]> {
    await mkdir(this.root, { recursive: true });
    const records: AvatarRecord[] = [];
    for (const entry of await readdir(this.root, { withFileTypes: true })) {
      if (!entry.isDirectory() || !AVATAR_ID.test(entry.name)) continue;
      const record = await this.#readRecord(entry.name);
      if (!record) {
        await this.remove(entry.name);
        continue;
      }
      await this.removeBuildsExcept(record.id, [record.build]);
      records.push(record);
    }
    return records;
  }

  async save(record: AvatarRecord): Promise<void> {
    await mkdir(join(this.root, record.id), { recursive: true });
    await this.#replace(join(this.root, record.id, RECORD_FILE), JSON.stringify(record, null, 2));
  }

  async saveSource(id: string, jpeg: Buffer): Promise<void> {
    await mkdir(join(this.root, id), { recursive: true });
    await this.#replace(join(this.root, id, SOURCE_FILE), jpeg);
  }

  readSource(id: string): Promise<Buffer> {
    return readFile(join(this.root, id, SOURCE_FILE));
  }

  /** The name of a folder that does not exist yet. */
  newBuild(): string {
    return `${BUILD_PREFIX}${randomUUID()}`;
  }

  dirOf(id: string, build: string): string {
    return join(this.root, id, build);
  }

  async removeBuildsExcept(id: string, kept: readonly (string | null)[]): Promise<void> {
    for (const name of await readdir(join(this.root, id))) {
      const stale = name.startsWith(BUILD_PREFIX) ? !kept.includes(name) : name.endsWith(".tmp");
      if (stale) await rm(join(this.root, id, name), { recursive: true, force: true });
    }
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

  async #readRecord(id: string): Promise<AvatarRecord | undefined> {
    try {
      const record = JSON.parse(await readFile(join(this.root, id, RECORD_FILE), "utf8")) as AvatarRecord;
      const known = avatarStateSchema.safeParse(record.status).success;
      return record.id === id && known && typeof record.display_name === "string" ? record : undefined;
    } catch {
      return undefined;
    }
  }

  async #replace(path: string, content: string | Buffer): Promise<void> {
    const temporary = `${path}.${randomUUID()}.tmp`;
    try {
      await writeFile(temporary, content);
      await rename(temporary, path);
    } catch (error) {
      await rm(temporary, { force: true });
      throw error;
    }
  }
}
