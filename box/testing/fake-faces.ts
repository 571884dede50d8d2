import type { AvatarCreated } from "../../contract/avatars.ts";
import { baseTone } from "../../contract/tones.ts";
import { AvatarError } from "../avatars/errors.ts";
import type { AvatarEntry, CreateAvatarRequest } from "../avatars/library.ts";
import type { Faces } from "../live/faces.ts";

function entry(id: string, owner: string | null): AvatarEntry {
  return {
    id,
    displayName: id,
    owner,
    stock: owner === null,
    status: "ready",
    detail: "",
    dir: `/nowhere/${id}`,
    framing: "bust",
    gestureAmplitude: 0.5,
    filename: `${id}.png`,
    sha256: "0".repeat(64),
    crop: null,
    madeAt: 0,
    archived: false,
    created_at: 0,
    updated_at: 0,
  };
}

/** Two stock avatars, and uploads that are ready at once unless their bytes say `bad`. */
export class FakeFaces implements Faces {
  readonly entries: AvatarEntry[] = [entry("maya", null), entry("theo", null)];
  readonly created: CreateAvatarRequest[] = [];

  create(request: CreateAvatarRequest): Promise<AvatarCreated> {
    this.created.push(request);
    if (Buffer.from(request.bytes ?? []).includes("bad"))
      return Promise.reject(new AvatarError("no_face", "There is no face in this picture."));
    const made = entry((request.name ?? request.filename).toLowerCase(), request.owner);
    this.entries.push(made);
    return Promise.resolve({
      avatar: made.id,
      display_name: made.displayName,
      status: "preparing",
      tones: ["neutral"],
      note: "",
      active: "maya",
    });
  }

  list(account: string | null): ReturnType<Faces["list"]> {
    const groups = this.entries
      .filter(({ owner }) => owner === null || owner === account)
      .map(({ id, displayName, stock }) => ({
        id,
        display_name: displayName,
        variants: [id],
        tones: [baseTone],
        preview: id,
        stock,
      }));
    const avatars = groups.map(({ id }) => id);
    const builds = Object.fromEntries(
      avatars.map((id) => [
        id,
        {
          state: "ready" as const,
          step: "done" as const,
          progress: 1,
          detail: "",
          started_at: 1,
          finished_at: 2,
        },
      ]),
    );
    return { avatars, groups, preparing: [], active: "maya", active_group: "maya", builds };
  }

  resolve(account: string | null, id: string): AvatarEntry | undefined {
    return this.entries.find((known) => known.id === id && (known.owner === null || known.owner === account));
  }

  ready(account: string | null, id: string): Promise<AvatarEntry> {
    const found = this.resolve(account, id);
    return found
      ? Promise.resolve(found)
      : Promise.reject(new AvatarError("unknown_avatar", "Unknown avatar."));
  }

  loops(account: string | null, id: string): ReturnType<Faces["loops"]> {
    const found = this.resolve(account, id);
    return new Map(found ? [[baseTone, found.dir]] : []);
  }

  async preview(account: string | null, id: string): Promise<Buffer> {
    await this.ready(account, id);
    return Buffer.from([0xff, 0xd8]);
  }

  active(): AvatarEntry | null {
    return this.entries[0] ?? null;
  }

  owned(): AvatarEntry[] {
    return this.entries.filter(({ owner }) => owner !== null);
  }

  archivable(account: string, id: string): ReturnType<Faces["archivable"]> {
    const found = this.entries.find((known) => known.id === id && known.owner === account);
    return Promise.resolve(
      found && {
        build: "build-1",
        source: Buffer.from(`photograph of ${id}`),
        still: Buffer.from(`still of ${id}`),
      },
    );
  }

  markArchived(id: string): Promise<void> {
    const found = this.entries.find((known) => known.id === id);
    if (found) found.archived = true;
    return Promise.resolve();
  }

  erase(account: string, id: string, erasedAt: number): Promise<boolean> {
    const at = this.entries.findIndex(
      (known) => known.id === id && known.owner === account && known.madeAt <= erasedAt,
    );
    if (at >= 0) this.entries.splice(at, 1);
    return Promise.resolve(true);
  }

  close(): Promise<void> {
    return Promise.resolve();
  }
}
