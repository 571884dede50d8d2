import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { AvatarCreated, AvatarList, BuildReport } from "../../contract/avatars.ts";
import { baseTone, type Tone } from "../../contract/tones.ts";
import type { Media } from "../media/media.ts";
import { BuildQueue } from "./build-queue.ts";
import { entryOf, squareOf, takenAt, type AvatarEntry } from "./entry.ts";
import { AvatarError } from "./errors.ts";
import { parseFraming } from "./framing.ts";
import { AVATAR_ID, displayName, filenameId, uniqueId } from "./ids.ts";
import { FaceFinder } from "./landmarks.ts";
import { checkPhoto, encodeSource, nativeBuilder, PREPARATION_VERSION, PREVIEW_FILE } from "./prepare.ts";
import type { AvatarBuilder, CheckedPhoto } from "./prepare.ts";
import { AvatarStore } from "./store.ts";
import type { AvatarRecord } from "./store.ts";
import { digest, photoBytes, type CreateAvatarRequest } from "./upload.ts";

export type { AvatarEntry } from "./entry.ts";
export type { CreateAvatarRequest } from "./upload.ts";

export interface AvatarLibraryOptions {
  /** Reads what was uploaded and writes clips. */
  media: Media;
  /** The box's state folder; avatars live in `<stateDir>/avatars`. */
  stateDir: string;
  onProgress?(avatar: string, report: BuildReport): void;
  /** The native builder unless told otherwise. */
  builder?: AvatarBuilder;
  /** A face finder that others use too, left open at the end; one of its own unless told otherwise. */
  finder?: FaceFinder;
  /** Folder of the stock portraits; the ones that ship unless told otherwise. */
  stockDir?: string;
}

const STOCK = [
  { id: "maya", name: "Maya" },
  { id: "theo", name: "Theo" },
];
const STOCK_DIR = fileURLToPath(new URL("stock/", import.meta.url));

/** The avatars of one box, on disk and in memory: who may see which, and what state each is in. */
export class AvatarLibrary {
  #store: AvatarStore;
  #media: Media;
  #finder: FaceFinder;
  #ownsFinder: boolean;
  #queue: BuildQueue;
  #stockDir: string;
  #records = new Map<string, AvatarRecord>();
  #choices = new Map<string, string>();
  #closing: Promise<void> | undefined;

  private constructor({ media, stateDir, onProgress, builder, finder, stockDir }: AvatarLibraryOptions) {
    this.#store = new AvatarStore(join(stateDir, "avatars"));
    this.#media = media;
    this.#finder = finder ?? new FaceFinder();
    this.#ownsFinder = !finder;
    this.#stockDir = stockDir ?? STOCK_DIR;
    this.#queue = new BuildQueue({
      store: this.#store,
      builder: builder ?? nativeBuilder,
      onProgress,
      onRecord: (record) => this.#records.set(record.id, record),
      isWanted: (id) => this.#records.has(id),
    });
  }

  /**
   * Opens the library, making its folder if need be. What a crash left half made is removed or prepared again, and stock
   * avatars are prepared where they are missing or outdated; both in the background.
   */
  static async open(options: AvatarLibraryOptions): Promise<AvatarLibrary> {
    const library = new AvatarLibrary(options);
    for (const record of await library.#store.load()) library.#records.set(record.id, record);
    library.#choices = await library.#store.loadChoices();
    for (const record of library.#records.values()) {
      if (record.owner !== null && !library.#isCurrent(record)) await library.#rebuild(record);
    }
    for (const stock of STOCK) await library.#ensureStock(stock);
    return library;
  }

  /**
   * Checks the picture and its face, and then builds in the background. Rejects with AvatarError: what is wrong with the
   * picture, avatar_busy while the same id is being built, too_many_builds, library_closed.
   */
  async create(request: CreateAvatarRequest): Promise<AvatarCreated> {
    const { owner, filename, name } = request;
    const framing = parseFraming(request.framing);
    const display_name = displayName(name, filename);
    const id =
      name === undefined ? filenameId(owner, filename) : uniqueId(name, (taken) => this.#records.has(taken));
    const ticket = this.#queue.reserve(id);
    try {
      const bytes = await photoBytes(request);
      const photo = await checkPhoto({
        bytes,
        framing,
        finder: this.#finder,
        media: this.#media,
        onStep: ticket.step,
      });
      const previous = this.#records.get(id);
      const now = epochSeconds();
      const record: AvatarRecord = {
        id,
        display_name,
        owner,
        status: "preparing",
        detail: "",
        framing,
        gesture_amplitude: Math.min(1, Math.max(0, request.gestureAmplitude ?? 0.5)),
        filename,
        sha256: digest(bytes),
        version: PREPARATION_VERSION,
        build: previous?.build ?? null,
        square: squareOf(photo),
        taken_at: now,
        created_at: previous?.created_at ?? now,
        updated_at: now,
      };
      await this.#store.saveSource(id, await encodeSource(photo.source));
      await this.#store.save(record);
      this.#records.set(id, record);
      ticket.start(record, () => Promise.resolve(photo));
    } catch (error) {
      ticket.release();
      throw error;
    }
    return {
      avatar: id,
      display_name,
      status: "preparing",
      tones: [baseTone],
      note: "",
      active: this.active(owner)?.id ?? "",
    };
  }

  list(account: string | null): AvatarList {
    const visible = this.#visible(account);
    const ready = visible.filter((record) => record.status === "ready");
    const active = this.active(account)?.id ?? "";
    return {
      avatars: ready.map(({ id }) => id),
      groups: visible.map((record) => ({
        id: record.id,
        display_name: record.display_name,
        variants: [record.id],
        tones: [baseTone],
        preview: record.build === null ? "" : record.id,
        stock: record.owner === null,
      })),
      preparing: visible.filter((record) => record.status === "preparing").map(({ id }) => id),
      active,
      active_group: active,
      builds: Object.fromEntries(
        visible.flatMap(({ id }) => {
          const report = this.#queue.report(id);
          return report ? [[id, report]] : [];
        }),
      ),
    };
  }

  /** Own and stock avatars by id or variant id; somebody else's is undefined, as one that does not exist. */
  resolve(account: string | null, id: string): AvatarEntry | undefined {
    const record = this.#records.get(id);
    return record && isVisible(record, account) ? this.#entry(record) : undefined;
  }

  /** As resolve, and waits for a build in flight. Rejects with AvatarError unknown_avatar or avatar_not_ready. */
  async ready(account: string | null, id: string): Promise<AvatarEntry> {
    this.#require(account, id);
    await this.#queue.settled(id);
    const record = this.#require(account, id);
    if (record.status !== "ready") {
      throw new AvatarError("avatar_not_ready", record.detail || "This avatar is not ready yet.");
    }
    return this.#entry(record);
  }

  /** The loops that a stage may show of a ready avatar, by tone; the base one is always among them. */
  loops(account: string | null, id: string): ReadonlyMap<Tone, string> {
    const entry = this.resolve(account, id);
    return new Map(entry?.status === "ready" ? [[baseTone, entry.dir]] : []);
  }

  /** JPEG bytes. Rejects with AvatarError unknown_avatar or avatar_not_ready. */
  async preview(account: string | null, id: string): Promise<Buffer> {
    const { build } = this.#require(account, id);
    if (build === null) throw new AvatarError("avatar_not_ready", "This avatar is not ready yet.");
    return readFile(join(this.#store.dirOf(id, build), PREVIEW_FILE));
  }

  /** The account's choice, else the first stock avatar, a ready one if any; null while none exists. */
  active(account: string | null): AvatarEntry | null {
    const chosen = account === null ? undefined : this.resolve(account, this.#choices.get(account) ?? "");
    if (chosen) return chosen;
    const stock = this.#visible(null);
    const record = stock.find(({ status }) => status === "ready") ?? stock[0];
    return record ? this.#entry(record) : null;
  }

  /** Rejects with AvatarError unknown_avatar. */
  async setActive(account: string, id: string): Promise<void> {
    this.#require(account, id);
    this.#choices.set(account, id);
    await this.#store.saveChoices(this.#choices);
  }

  /** Removes an uploaded avatar and its photograph. Rejects with AvatarError stock_avatar, unknown_avatar or avatar_busy. */
  async delete(account: string, id: string): Promise<{ deleted: string; active: string | null }> {
    const record = this.#require(account, id);
    if (record.owner === null) throw new AvatarError("stock_avatar", "Only uploaded avatars can be deleted.");
    if (this.#queue.isBusy(id))
      throw new AvatarError("avatar_busy", "This avatar is being built; try again in a moment.");
    this.#records.delete(id);
    this.#queue.forget(id);
    await this.#forgetChoice(account, id);
    await this.#store.remove(id);
    return { deleted: id, active: this.active(account)?.id ?? null };
  }

  /** What accounts uploaded to this box. */
  owned(): AvatarEntry[] {
    return [...this.#records.values()]
      .filter(({ owner }) => owner !== null)
      .map((record) => this.#entry(record));
  }

  /** The files of a ready avatar that the portal's archive keeps, both JPEG; undefined while it is not ready. */
  async archivable(
    account: string,
    id: string,
  ): Promise<{ build: string; source: Buffer; still: Buffer } | undefined> {
    const record = this.#records.get(id);
    if (record?.owner !== account || record.status !== "ready" || record.build === null) return undefined;
    const { build } = record;
    const [source, still] = await Promise.all([this.#store.readSource(id), this.preview(account, id)]);
    // A new photograph may have come while these were read.
    return this.#records.get(id) === record ? { build, source, still } : undefined;
  }

  /** Notes that the archive holds what `archivable` answered for a build. */
  async markArchived(id: string, build: string): Promise<void> {
    const record = this.#records.get(id);
    if (record?.status !== "ready" || record.build !== build) return;
    const archived: AvatarRecord = { ...record, archived_build: build };
    this.#records.set(id, archived);
    await this.#store.save(archived);
  }

  /**
   * Removes whatever is left here of an avatar that was erased at `erasedAt` (epoch seconds): all of it, or, where another
   * photograph was taken in under its id since, what was built before. Waits for a build under way. False when that was
   * not possible now.
   */
  async erase(account: string, id: string, erasedAt: number): Promise<boolean> {
    if (!AVATAR_ID.test(id)) return true;
    const known = this.#records.get(id);
    if (known && known.owner !== account) return true;
    const isErased = (record: AvatarRecord) => takenAt(record) <= erasedAt;
    // A build that nobody wants any more is given up at its end.
    if (known && isErased(known)) this.#records.delete(id);
    await this.#queue.settled(id);
    if (this.#queue.isBusy(id) || this.#closing) return false;
    const ticket = this.#queue.reserve(id, { unlimited: true });
    try {
      const record = this.#records.get(id);
      if (!record || isErased(record)) {
        this.#records.delete(id);
        await this.#forgetChoice(account, id);
        await this.#store.remove(id);
      } else if (record.status === "preparing") {
        return false;
      } else {
        // Of a failed one the build on disk is the one before.
        const kept: AvatarRecord = record.status === "ready" ? record : { ...record, build: null };
        this.#records.set(id, kept);
        await this.#store.save(kept);
        await this.#store.removeBuildsExcept(id, [kept.build]);
      }
    } finally {
      ticket.release();
    }
    if (!this.#records.has(id)) this.#queue.forget(id);
    return true;
  }

  async #forgetChoice(account: string, id: string): Promise<void> {
    if (this.#choices.get(account) !== id) return;
    this.#choices.delete(account);
    await this.#store.saveChoices(this.#choices);
  }

  /** Waits for the build under way, leaves the others for the next start and ends the landmark thread. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.#queue.close();
      if (this.#ownsFinder) await this.#finder.close();
    })();
    return this.#closing;
  }

  #visible(account: string | null): AvatarRecord[] {
    const stockRank = ({ id, owner }: AvatarRecord) =>
      owner === null ? STOCK.findIndex((stock) => stock.id === id) : -1;
    return [...this.#records.values()]
      .filter((record) => isVisible(record, account))
      .toSorted(
        (a, b) => stockRank(a) - stockRank(b) || b.created_at - a.created_at || a.id.localeCompare(b.id),
      );
  }

  #require(account: string | null, id: string): AvatarRecord {
    const record = this.#records.get(id);
    if (!record || !isVisible(record, account))
      throw new AvatarError("unknown_avatar", "There is no such avatar.");
    return record;
  }

  #entry(record: AvatarRecord): AvatarEntry {
    return entryOf(record, record.build === null ? "" : this.#store.dirOf(record.id, record.build));
  }

  #isCurrent(record: AvatarRecord): boolean {
    if (record.status === "failed") return true;
    if (record.status !== "ready" || record.version !== PREPARATION_VERSION || record.build === null)
      return false;
    return existsSync(join(this.#store.dirOf(record.id, record.build), "rig.vvr"));
  }

  /** Builds from the photograph that was kept, unless there is none. */
  async #rebuild(record: AvatarRecord): Promise<void> {
    const source = await this.#store.readSource(record.id).catch(() => undefined);
    if (!source) {
      const detail = "The box stopped before the photograph was kept. Upload it again.";
      const failed: AvatarRecord = { ...record, status: "failed", detail, build: null };
      this.#records.set(record.id, failed);
      await this.#store.save(failed);
      return;
    }
    await this.#enqueue({ ...record, version: PREPARATION_VERSION }, source);
  }

  async #ensureStock({ id, name }: { id: string; name: string }): Promise<void> {
    const bytes = await readFile(join(this.#stockDir, `${id}.png`));
    const existing = this.#records.get(id);
    const sha256 = digest(bytes);
    if (existing?.sha256 === sha256 && existing.status === "ready" && this.#isCurrent(existing)) return;
    const now = epochSeconds();
    const record: AvatarRecord = {
      id,
      display_name: name,
      owner: null,
      status: "preparing",
      detail: "",
      framing: "bust",
      gesture_amplitude: 0.5,
      filename: `${id}.png`,
      sha256,
      version: PREPARATION_VERSION,
      build: existing?.build ?? null,
      created_at: existing?.created_at ?? now,
      updated_at: now,
    };
    await this.#enqueue(record, bytes);
  }

  async #enqueue(record: AvatarRecord, bytes: Uint8Array): Promise<void> {
    const preparing: AvatarRecord = { ...record, status: "preparing", detail: "" };
    await this.#store.save(preparing);
    this.#records.set(record.id, preparing);
    const ticket = this.#queue.reserve(record.id, { unlimited: true });
    ticket.start(preparing, (): Promise<CheckedPhoto> =>
      checkPhoto({
        bytes,
        framing: record.framing,
        finder: this.#finder,
        media: this.#media,
        onStep: ticket.step,
      }),
    );
  }
}

function isVisible({ owner }: AvatarRecord, account: string | null): boolean {
  return owner === null || owner === account;
}

function epochSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
