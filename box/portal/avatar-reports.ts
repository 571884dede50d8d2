// Tells the portal how the avatars made on this box are coming along.

import type { BuildReport } from "../../contract/avatars.ts";
import type { AvatarEntry } from "../avatars/library.ts";
import type { Faces } from "../live/faces.ts";
import type { Portal } from "./portal.ts";

export interface AvatarReportsOptions {
  portal: Pick<Portal, "reportAvatar">;
  region: string;
  weightsVolume: string;
  /** A ready avatar is in the library and not yet in the archive. */
  onArchivable?: ((avatar: AvatarEntry) => void) | undefined;
}

export interface Upload {
  account: string;
  avatar: string;
  /** Null when nobody named it. */
  name: string | null;
  consentId?: string | undefined;
}

export class AvatarReports {
  readonly #options: AvatarReportsOptions;
  /** What came with uploads that are still being built. */
  readonly #uploads = new Map<string, Pick<Upload, "name" | "consentId">>();
  #faces: Pick<Faces, "owned"> | null = null;

  constructor(options: AvatarReportsOptions) {
    this.#options = options;
  }

  /** The library is open: whatever did not reach the portal when the box last ran is told now. */
  attach(faces: Pick<Faces, "owned">): void {
    this.#faces = faces;
    for (const avatar of faces.owned()) {
      if (avatar.status !== "ready") this.#report(avatar);
      else if (!avatar.archived) this.#options.onArchivable?.(avatar);
    }
  }

  /** An upload was accepted. */
  made({ account, avatar, name, consentId }: Upload): void {
    this.#uploads.set(avatar, { name, consentId });
    const entry = this.#find(avatar);
    if (entry?.owner === account) this.#report(entry);
  }

  /** A build moved; only its end is news to the portal, which knows of its beginning. */
  moved(avatar: string, build: BuildReport): void {
    const entry = this.#find(avatar);
    if (!entry || build.state === "preparing" || entry.status !== build.state) return;
    this.#report(entry, build);
  }

  #find(avatar: string): AvatarEntry | undefined {
    return this.#faces?.owned().find(({ id }) => id === avatar);
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
        source_kind: "photo",
        region: this.#options.region,
        weights_volume: this.#options.weightsVolume,
        made_at: madeAt,
        source: { filename, sha256 },
        ...(crop && { framing: crop }),
        ...(consentId !== undefined && { consent_id: consentId }),
        ...(build && { build }),
      },
      (registryNote) => {
        if (state === "ready" && registryNote === "") this.#options.onArchivable?.(entry);
      },
    );
  }
}
