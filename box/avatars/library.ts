import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import {
  parseVariantId,
  type AvatarCreated,
  type AvatarList,
  type VideoList,
} from "../../contract/avatars.ts";
import type { Clip } from "../../contract/clips.ts";
import { baseTone, type Tone } from "../../contract/tones.ts";
import { archivable, markArchived, type Archivable } from "./archiving.ts";
import { BuildQueue } from "./build-queue.ts";
import { Builds } from "./builds.ts";
import { HttpClipGenerator } from "./clips/http-generator.ts";
import { parseTone } from "./clips/plan.ts";
import { retryClip } from "./clips/retry.ts";
import { createAvatar } from "./creating.ts";
import { entryOf, takenAt, type AvatarEntry } from "./entry.ts";
import { eraseAvatar, removeAvatar } from "./erasing.ts";
import { AvatarError } from "./errors.ts";
import { AVATAR_ID, displayName, filenameId, uniqueId } from "./ids.ts";
import type { CheckConsent } from "./intake.ts";
import { Journal } from "./journal.ts";
import { FaceFinder } from "./landmarks.ts";
import type { AvatarLibraryOptions } from "./library-options.ts";
import { finishedOf, listAvatars, listVideos, type FinishedAvatar } from "./listing.ts";
import { nativeBuilder, PREVIEW_FILE } from "./prepare.ts";
import { clipsOf, loopBuild, readyTones, type AvatarRecord, type ClipTemplate } from "./record.ts";
import { resume } from "./resuming.ts";
import { Shelf } from "./shelf.ts";
import { stockRank } from "./stock.ts";
import { AvatarStore } from "./store.ts";
import type { CreateAvatarRequest } from "./upload.ts";
import { CLIP_FILE, footageTools, type Tools } from "./workshop.ts";

export type { AvatarLibraryOptions } from "./library-options.ts";
export type { AvatarEntry } from "./entry.ts";
export type { CreateAvatarRequest } from "./upload.ts";

const STOCK_DIR = fileURLToPath(new URL("stock/", import.meta.url));
const everything = {
  photoCreation: true,
  clips: { kind: "builtin" },
} satisfies AvatarLibraryOptions["offers"];
const anyToken: CheckConsent = ({ token }) => Promise.resolve(token.trim() !== "");

/** The avatars of one box, on disk and in memory: who may see which, and what state each is in. */
export class AvatarLibrary {
  readonly #shelf: Shelf;
  readonly #tools: Tools;
  readonly #ownsFinder: boolean;
  readonly #queue = new BuildQueue();
  readonly #journal: Journal;
  readonly #builds: Builds;
  readonly #checkConsent: CheckConsent;
  /** Who makes clips from a still here; null: nobody. */
  readonly #template: Exclude<ClipTemplate, "footage"> | null;
  #choices = new Map<string, string>();
  #closing: Promise<void> | undefined;

  private constructor(options: AvatarLibraryOptions) {
    const { photoCreation, clips } = options.offers ?? everything;
    const generator = options.generator ?? (clips.kind === "http" ? new HttpClipGenerator(clips) : null);
    this.#template = photoCreation && clips.kind !== "none" ? (generator ? "http" : "motion") : null;
    this.#shelf = new Shelf(new AvatarStore(join(options.stateDir, "avatars")));
    this.#ownsFinder = !options.finder;
    this.#checkConsent = options.checkConsent ?? anyToken;
    this.#tools = {
      media: options.media,
      finder: options.finder ?? new FaceFinder(),
      builder: options.builder ?? nativeBuilder,
      generator,
      footage: options.footage ?? footageTools,
    };
    const { onProgress, onClip, onFault } = options;
    this.#journal = new Journal({ record: (id) => this.#shelf.get(id), onProgress });
    this.#builds = new Builds({
      shelf: this.#shelf,
      queue: this.#queue,
      journal: this.#journal,
      tools: this.#tools,
      onClip,
      onFault,
    });
  }

  /**
   * Opens the library, making its folder if need be. What a crash left half made is removed, prepared again or failed, and
   * stock avatars are prepared where they are missing or outdated; both in the background.
   */
  static async open(options: AvatarLibraryOptions): Promise<AvatarLibrary> {
    const library = new AvatarLibrary(options);
    await library.#shelf.load((id, cause) =>
      options.onFault?.(
        new Error(`the record of ${id} cannot be read; its folder is left as it is`, { cause }),
      ),
    );
    library.#choices = await library.#shelf.store.loadChoices();
    await resume({
      shelf: library.#shelf,
      queue: library.#queue,
      builds: library.#builds,
      stockDir: options.stockDir ?? STOCK_DIR,
      stockTones: options.stockTones === true && options.offers?.clips.kind !== "none",
    });
    return library;
  }

  /**
   * Checks what was uploaded, and then builds in the background, the avatar before its tones. Rejects with AvatarError: what
   * is wrong with the file, avatar_busy while the same id is being built, too_many_builds, storage_full, library_closed.
   */
  async create(request: CreateAvatarRequest): Promise<AvatarCreated> {
    const display_name = displayName(request.name ?? request.id, request.filename);
    return createAvatar(request, {
      display_name,
      id: this.#idOf(request),
      shelf: this.#shelf,
      queue: this.#queue,
      journal: this.#journal,
      builds: this.#builds,
      intake: { ...this.#tools, checkConsent: this.#checkConsent, generator: this.#template },
      active: () => this.active(request.owner)?.id ?? "",
    });
  }

  list(account: string | null): AvatarList {
    const active = this.active(account)?.id ?? "";
    const report = (id: string) => this.#journal.report(id);
    return listAvatars({ records: this.#visible(account), active, report });
  }

  /** Every variant, as a source upload. */
  videos(account: string | null): VideoList {
    return listVideos({ records: this.#visible(account), active: this.active(account)?.id ?? "" });
  }

  /** Own and stock avatars by id, or by the id of a variant that can be shown; somebody else's is undefined, as an unknown one. */
  resolve(account: string | null, id: string): AvatarEntry | undefined {
    const found = this.#variant(account, id);
    const shown = found && readyTones(found.record).includes(found.tone);
    return shown ? this.#entry(found.record) : undefined;
  }

  /** As resolve, and waits for a build of the avatar in flight. Rejects with AvatarError unknown_avatar or avatar_not_ready. */
  async ready(account: string | null, id: string): Promise<AvatarEntry> {
    const before = this.resolve(account, id);
    if (!before) throw unknownAvatar();
    // One whose clip is only made, or made anew, can be shown meanwhile.
    const shown = before.status === "ready" && before.clips[0]?.state === "generating";
    if (!shown) await this.#queue.built(before.id);
    const entry = this.resolve(account, id);
    if (!entry) throw unknownAvatar();
    if (entry.status !== "ready")
      throw new AvatarError("avatar_not_ready", entry.detail || "This avatar is not ready yet.");
    return entry;
  }

  /** Waits until nothing of an avatar is being built, or the library closes, and answers what came of it; undefined where it is gone. */
  async finished(account: string, id: string): Promise<FinishedAvatar | undefined> {
    await Promise.race([this.#queue.settled(id), this.#queue.closing]);
    const record = this.#shelf.get(id);
    return record?.owner === account ? finishedOf(record) : undefined;
  }

  /**
   * The loops that a stage may show of a ready avatar, by tone; the base one is always among them. With `madeAt` none where
   * another photograph was taken in since: its tones do not go with the face that is shown.
   */
  loops(account: string | null, id: string, madeAt?: number): ReadonlyMap<Tone, string> {
    const visible = this.#variant(account, id)?.record;
    const record = visible && (madeAt ?? takenAt(visible)) === takenAt(visible) ? visible : undefined;
    const found = record && readyTones(record).map((tone) => [tone, loopBuild(record, tone)] as const);
    return new Map(
      found?.flatMap(([tone, build]) =>
        record && build !== null ? [[tone, this.#shelf.store.dirOf(record.id, build)]] : [],
      ),
    );
  }

  /** JPEG bytes. Rejects with AvatarError unknown_avatar or avatar_not_ready. */
  async preview(account: string | null, id: string): Promise<Buffer> {
    const found = this.#variant(account, id);
    if (!found) throw unknownAvatar();
    const { record, tone } = found;
    const build = tone === baseTone ? record.build : loopBuild(record, tone);
    if (build === null) throw new AvatarError("avatar_not_ready", "This avatar is not ready yet.");
    return readFile(join(this.#shelf.store.dirOf(record.id, build), PREVIEW_FILE));
  }

  /** The clips of an avatar, by its id or that of a variant. Throws AvatarError unknown_avatar. */
  clips(account: string | null, id: string): { avatar: string; clips: Clip[] } {
    const found = this.#variant(account, id);
    if (!found) throw unknownAvatar();
    return { avatar: found.record.id, clips: clipsOf(found.record) };
  }

  /** Where a tone's MP4 lies, by default that of the variant. Throws AvatarError unknown_avatar, unknown_tone or clip_not_found. */
  clipFile(account: string | null, id: string, tone?: string): string {
    const found = this.#variant(account, id);
    if (!found) throw unknownAvatar();
    const { record } = found;
    const build = loopBuild(record, tone === undefined ? found.tone : parseTone(tone));
    const path = build === null ? "" : join(this.#shelf.store.dirOf(record.id, build), CLIP_FILE);
    if (path === "" || !existsSync(path))
      throw new AvatarError("clip_not_found", "There is no clip of this tone to play.");
    return path;
  }

  /**
   * Builds the clip of a tone, anew where there is one. Rejects with AvatarError, in this order: unknown_avatar,
   * unknown_tone, avatar_clips_unavailable, consent_required, clip_already_generating, clip_generator_unavailable.
   */
  retry(account: string, id: string, tone: string): ReturnType<typeof retryClip> {
    const record = this.#variant(account, id)?.record;
    return retryClip({
      record: record?.owner === account ? record : undefined,
      account,
      tone,
      template: this.#template,
      generator: this.#tools.generator,
      checkConsent: this.#checkConsent,
      shelf: this.#shelf,
      queue: this.#queue,
      builds: this.#builds,
      journal: this.#journal,
    });
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
    if (!this.resolve(account, id)) throw unknownAvatar();
    this.#choices.set(account, id);
    await this.#shelf.store.saveChoices(this.#choices);
  }

  /**
   * Removes an uploaded avatar with its files and calls off what is being built of it. Rejects with AvatarError stock_avatar,
   * unknown_avatar, or avatar_busy while another upload of the same id is being checked.
   */
  async delete(account: string, id: string): Promise<{ deleted: string; active: string | null }> {
    const record = this.#shelf.get(id);
    if (!record || !isVisible(record, account)) throw unknownAvatar();
    if (record.owner === null) throw new AvatarError("stock_avatar", "Only uploaded avatars can be deleted.");
    if (this.#queue.isBeingTakenIn(id))
      throw new AvatarError("avatar_busy", "This avatar is being uploaded again; try again in a moment.");
    const forgetChoice = () => this.#forgetChoice(account, id);
    await removeAvatar({ shelf: this.#shelf, queue: this.#queue, id, forgetChoice });
    this.#journal.forget(id);
    return { deleted: id, active: this.active(account)?.id ?? null };
  }

  /** What accounts uploaded to this box. */
  owned(): AvatarEntry[] {
    return this.#shelf
      .all()
      .filter(({ owner }) => owner !== null)
      .map((record) => this.#entry(record));
  }

  /** The files of a ready avatar that the portal's archive does not have yet; undefined while it is not ready. */
  archivable(account: string, id: string): Promise<Archivable | undefined> {
    return archivable(this.#shelf, account, id);
  }

  /** Notes that the archive holds what `archivable` answered. */
  markArchived(id: string, builds: readonly string[]): Promise<void> {
    return markArchived(this.#shelf, id, builds);
  }

  /** Notes why the portal's library does not hold an avatar; empty when it does. */
  async noteRegistry(id: string, note: string): Promise<void> {
    await this.#shelf.change(id, (record) =>
      (record.registry_note ?? "") === note ? undefined : { ...record, registry_note: note },
    );
  }

  /**
   * Removes whatever is left here of an avatar that was erased at `erasedAt` (epoch seconds): all of it, or, where another
   * upload was taken in under its id since, what was built before. Waits for builds under way. False when that was not
   * possible now.
   */
  async erase(account: string, id: string, erasedAt: number): Promise<boolean> {
    const forgetChoice = () => this.#forgetChoice(account, id);
    const options = { shelf: this.#shelf, queue: this.#queue, account, id, erasedAt, forgetChoice };
    const erased = await eraseAvatar(options);
    if (!this.#shelf.has(id)) this.#journal.forget(id);
    return erased;
  }

  async #forgetChoice(account: string, id: string): Promise<void> {
    if (this.#choices.get(account) !== id) return;
    this.#choices.delete(account);
    await this.#shelf.store.saveChoices(this.#choices);
  }

  /** Waits for the build under way, leaves the others for the next start and ends the landmark thread. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= (async () => {
      await this.#queue.close();
      if (this.#ownsFinder) await this.#tools.finder.close();
    })();
    return this.#closing;
  }

  #idOf({ owner, filename, id, name }: CreateAvatarRequest): string {
    const isTaken = (taken: string) =>
      this.#shelf.has(taken) || this.#shelf.isUnreadable(taken) || this.#queue.isBusy(taken);
    if (id === undefined) return name === undefined ? filenameId(owner, filename) : uniqueId(name, isTaken);
    if (id.length > 64 || !AVATAR_ID.test(id)) {
      throw new AvatarError(
        "invalid_body",
        "avatar_id may have 64 lower-case letters and digits, with single hyphens between them.",
      );
    }
    const holder = this.#shelf.get(id);
    const foreign = holder ? holder.owner !== owner : this.#shelf.isUnreadable(id);
    return foreign ? uniqueId(id, isTaken) : id;
  }

  #visible(account: string | null): AvatarRecord[] {
    return this.#shelf
      .all()
      .filter((record) => isVisible(record, account))
      .toSorted(
        (a, b) => stockRank(a) - stockRank(b) || b.created_at - a.created_at || a.id.localeCompare(b.id),
      );
  }

  /** The record behind an id or variant id, as far as the account may see it. */
  #variant(account: string | null, id: string): { record: AvatarRecord; tone: Tone } | undefined {
    const parsed = parseVariantId(id);
    const record = parsed ? this.#shelf.get(parsed.avatar) : undefined;
    return parsed && record && isVisible(record, account) ? { record, tone: parsed.tone } : undefined;
  }

  #entry(record: AvatarRecord): AvatarEntry {
    return entryOf(record, record.build === null ? "" : this.#shelf.store.dirOf(record.id, record.build));
  }
}

const unknownAvatar = () => new AvatarError("unknown_avatar", "There is no such avatar.");

function isVisible({ owner }: AvatarRecord, account: string | null): boolean {
  return owner === null || owner === account;
}
