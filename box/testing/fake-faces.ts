import { parseVariantId, variantId, type AvatarCreated, type VideoList } from "../../contract/avatars.ts";
import type { Clip } from "../../contract/clips.ts";
import { baseTone, toneSchema, tones, type Tone } from "../../contract/tones.ts";
import { AvatarError } from "../avatars/errors.ts";
import type { AvatarEntry, CreateAvatarRequest } from "../avatars/library.ts";
import type { Faces } from "../live/faces.ts";

function clip(avatar: string, tone: Tone, change: Partial<Clip> = {}): Clip {
  return {
    tone,
    state: "generated",
    variant_id: variantId(avatar, tone),
    duration_s: 8,
    updated_at: 0,
    detail: "",
    ...change,
  };
}

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
    kind: "photo",
    clips: [clip(id, baseTone)],
    filename: `${id}.png`,
    sha256: "0".repeat(64),
    crop: null,
    madeAt: 0,
    archived: false,
    created_at: 0,
    updated_at: 0,
  };
}

/** Two stock avatars, and uploads that are ready at once, with every tone they ask for, unless their bytes say `bad`. */
export class FakeFaces implements Faces {
  readonly entries: AvatarEntry[] = [entry("maya", null), entry("theo", null)];
  readonly created: CreateAvatarRequest[] = [];
  /** Why no clip can be had, by variant id. */
  readonly refusals = new Map<string, AvatarError>();
  /** Registry notes by avatar. */
  readonly notes = new Map<string, string>();
  /** Files in place of those of the archive, and of clips. */
  files: NonNullable<Awaited<ReturnType<Faces["archivable"]>>> | undefined;
  clipPath = "";

  create(request: CreateAvatarRequest): Promise<AvatarCreated> {
    this.created.push(request);
    if (Buffer.from(request.bytes ?? []).includes("bad") || request.filename.startsWith("bad"))
      return Promise.reject(new AvatarError("no_face", "There is no face in this picture."));
    const made = entry((request.id ?? request.name ?? request.filename).toLowerCase(), request.owner);
    const asked = (request.tones ?? "").split(",").map((tone) => tone.trim());
    const coming = tones.filter((tone) => tone === baseTone || asked.includes(tone));
    made.clips = coming.map((tone) => clip(made.id, tone));
    this.entries.push(made);
    return Promise.resolve({
      avatar: made.id,
      display_name: made.displayName,
      status: "preparing",
      tones: coming,
      note: "",
      active: "maya",
    });
  }

  list(account: string | null): ReturnType<Faces["list"]> {
    const groups = this.#visible(account).map((face) => ({
      id: face.id,
      display_name: face.displayName,
      variants: face.clips.map((made) => made.variant_id),
      tones: face.clips.map((made) => made.tone),
      preview: face.id,
      stock: face.stock,
    }));
    const builds = Object.fromEntries(
      groups.map(({ id }) => [
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
    const avatars = groups.flatMap(({ variants }) => variants);
    return { avatars, groups, preparing: [], active: "maya", active_group: "maya", builds };
  }

  videos(account: string | null): VideoList {
    const videos = this.#visible(account).flatMap((face) =>
      face.clips.map((made) => ({
        id: made.variant_id,
        status: "ready" as const,
        kind: face.kind,
        bytes: face.stock ? null : 1,
        identity: face.id,
        emotion: made.tone,
        active: made.variant_id === "maya",
        deletable: !face.stock,
        registry_note: this.notes.get(face.id) || null,
      })),
    );
    return { videos, active: "maya" };
  }

  resolve(account: string | null, id: string): AvatarEntry | undefined {
    const parsed = parseVariantId(id);
    const found = this.#visible(account).find((known) => known.id === parsed?.avatar);
    return found?.clips.some(({ tone }) => tone === parsed?.tone) ? found : undefined;
  }

  ready(account: string | null, id: string): Promise<AvatarEntry> {
    const found = this.resolve(account, id);
    return found ? Promise.resolve(found) : Promise.reject(unknown());
  }

  finished(account: string, id: string): ReturnType<Faces["finished"]> {
    const clips = this.resolve(account, id)?.clips.map(({ tone }) => ({
      tone,
      template: "motion" as const,
      frames: 200,
      fps: 25,
    }));
    return Promise.resolve(clips && { failure: null, clips });
  }

  loops(account: string | null, id: string): ReturnType<Faces["loops"]> {
    const found = this.resolve(account, id);
    return new Map(
      found?.clips.map(({ tone }) => [tone, tone === baseTone ? found.dir : `${found.dir}/${tone}`]),
    );
  }

  async preview(account: string | null, id: string): Promise<Buffer> {
    await this.ready(account, id);
    return Buffer.from([0xff, 0xd8]);
  }

  clips(account: string | null, id: string): { avatar: string; clips: Clip[] } {
    const found = this.#visible(account).find((known) => known.id === parseVariantId(id)?.avatar);
    if (!found) throw unknown();
    return { avatar: found.id, clips: found.clips };
  }

  clipFile(account: string | null, id: string, tone?: Tone): string {
    const { clips } = this.clips(account, id);
    const wanted = tone ?? parseVariantId(id)?.tone;
    if (!clips.some((known) => known.tone === wanted))
      throw new AvatarError("clip_not_found", "There is no clip of this tone to play.");
    return this.clipPath;
  }

  retry(account: string, id: string, name: string): ReturnType<Faces["retry"]> {
    const found = this.entries.find((known) => known.id === id && known.owner === account);
    if (!found) return Promise.reject(unknown());
    const tone = toneSchema.parse(name);
    const variant_id = variantId(id, tone);
    const refusal = this.refusals.get(variant_id);
    if (refusal) return Promise.reject(refusal);
    found.clips = [...found.clips.filter((known) => known.tone !== tone), clip(id, tone)];
    return Promise.resolve({ avatar: id, tone, variant_id, state: "generating" });
  }

  active(): AvatarEntry | null {
    return this.entries[0] ?? null;
  }

  delete(account: string, id: string): ReturnType<Faces["delete"]> {
    const at = this.entries.findIndex((known) => known.id === id && [null, account].includes(known.owner));
    if (at < 0) return Promise.reject(unknown());
    if (this.entries[at]?.stock)
      return Promise.reject(new AvatarError("stock_avatar", "Only uploaded avatars can be deleted."));
    this.entries.splice(at, 1);
    return Promise.resolve({ deleted: id, active: "maya" });
  }

  owned(): AvatarEntry[] {
    return this.entries.filter(({ owner }) => owner !== null);
  }

  archivable(account: string, id: string): ReturnType<Faces["archivable"]> {
    const found = this.entries.find((known) => known.id === id && known.owner === account);
    return Promise.resolve(found && !found.archived ? this.files : undefined);
  }

  markArchived(id: string): Promise<void> {
    const found = this.entries.find((known) => known.id === id);
    if (found) found.archived = true;
    return Promise.resolve();
  }

  noteRegistry(id: string, note: string): Promise<void> {
    this.notes.set(id, note);
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

  #visible(account: string | null): AvatarEntry[] {
    return this.entries.filter(({ owner }) => owner === null || owner === account);
  }
}

const unknown = () => new AvatarError("unknown_avatar", "There is no such avatar.");
