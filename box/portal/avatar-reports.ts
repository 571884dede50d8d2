// Tells the portal how the avatars made on this box are coming along, and their clips.

import type { BuildReport } from "../../contract/avatars.ts";
import type { Clip } from "../../contract/clips.ts";
import type { AvatarEntry } from "../avatars/library.ts";
import type { Faces } from "../live/faces.ts";
import type { Portal } from "./portal.ts";

export interface AvatarReportsOptions {
  portal: Pick<Portal, "reportAvatar" | "reportClip">;
  region: string;
  weightsVolume: string;
  /** A ready avatar is in the library, and files of it are not yet in the archive. */
  onArchivable?: ((avatar: AvatarEntry) => void) | undefined;
}

export interface Upload {
  account: string;
  avatar: string;
  /** Null when nobody named it. */
  name: string | null;
  consentId?: string | undefined;
}

type Reported = Pick<Faces, "owned" | "noteRegistry">;

export class AvatarReports {
  readonly #options: AvatarReportsOptions;
  /** What came with uploads that are still being built. */
  readonly #uploads = new Map<string, Pick<Upload, "name" | "consentId">>();
  /** What was last told of the builds of each avatar. */
  readonly #told = new Map<string, string>();
  #faces: Reported | null = null;

  constructor(options: AvatarReportsOptions) {
    this.#options = options;
  }

  /** The library is open: whatever did not reach the portal when the box last ran is told now. */
  attach(faces: Reported): void {
    this.#faces = faces;
    for (const avatar of faces.owned()) {
      if (avatar.status !== "ready") this.#report(avatar);
      else if (!avatar.archived) this.#options.onArchivable?.(avatar);
      for (const clip of avatar.clips) if (clip.state !== "generated") this.#reportClip(avatar, clip);
    }
  }

  /** An upload was accepted: the avatar, and the clips that are coming with it. */
  made({ account, avatar, name, consentId }: Upload): void {
    this.#forgetGone();
    this.#uploads.set(avatar, { name, consentId });
    const entry = this.#find(avatar);
    if (entry?.owner !== account) return;
    this.#report(entry);
    for (const clip of entry.clips) this.#reportClip(entry, clip);
  }

  /** A build moved; the portal hears when the avatar is ready or has failed, and when its last clip is done. */
  moved(avatar: string, build: BuildReport): void {
    const entry = this.#find(avatar);
    if (!entry || build.state === "preparing" || entry.status !== build.state) return;
    const news = `${entry.madeAt} ${build.started_at} ${build.state} ${build.finished_at !== null}`;
    if (this.#told.get(avatar) === news) return;
    this.#told.set(avatar, news);
    this.#report(entry, build);
  }

  /** A clip moved. */
  clipMoved(avatar: string, clip: Clip): void {
    const entry = this.#find(avatar);
    if (entry) this.#reportClip(entry, clip);
  }

  /** Nothing is kept of avatars that were deleted, whatever state they were in. */
  #forgetGone(): void {
    const owned = new Set(this.#faces?.owned().map(({ id }) => id));
    for (const known of [this.#uploads, this.#told])
      for (const id of known.keys()) if (!owned.has(id)) known.delete(id);
  }

  #find(avatar: string): AvatarEntry | undefined {
    return this.#faces?.owned().find(({ id }) => id === avatar);
  }

  #reportClip(entry: AvatarEntry, clip: Clip): void {
    const { id, owner, madeAt } = entry;
    if (owner === null) return;
    this.#options.portal.reportClip({ account: owner, avatar_id: id, made_at: madeAt, clip }, () => {
      if (clip.state === "generated") this.#options.onArchivable?.(entry);
    });
  }

  #report(entry: AvatarEntry, build?: BuildReport): void {
    const { id, owner, status: state, filename, sha256, crop, madeAt } = entry;
    if (owner === null) return;
    const { name = null, consentId } = this.#uploads.get(id) ?? {};
    if (state !== "preparing") this.#uploads.delete(id);
    this.#options.portal.reportAvatar(
      {
        account: owner,
        avatar_id: id,
        name,
        state,
        detail: entry.detail,
        source_kind: entry.kind,
        region: this.#options.region,
        weights_volume: this.#options.weightsVolume,
        made_at: madeAt,
        source: { filename, sha256 },
        ...(crop && { framing: crop }),
        ...(consentId !== undefined && { consent_id: consentId }),
        ...(build && { build }),
      },
      (registryNote) => {
        // A note that cannot be kept is told again with the next report.
        this.#faces?.noteRegistry(id, registryNote).catch(() => undefined);
        if (state === "ready" && registryNote === "") this.#options.onArchivable?.(entry);
      },
    );
  }
}
