// How an avatar and its tones are made from what was uploaded: rig, loop and clip in one folder.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { AvatarInfo } from "../../native/binding/index.d.ts";
import type { BuildStep, Framing } from "../../contract/avatars.ts";
import { baseTone, type Tone } from "../../contract/tones.ts";
import type { Media } from "../media/media.ts";
import type { ClipGenerator } from "./clips/generator.ts";
import { squareOf } from "./entry.ts";
import { buildFootage, checkFootage } from "./footage.ts";
import type { FaceFinder } from "./landmarks.ts";
import { buildPhoto, checkPhoto, encodeSource } from "./prepare.ts";
import type { AvatarBuilder, CheckedPhoto } from "./prepare.ts";
import { askedTones, seedOf, type AvatarRecord, type ClipRecord } from "./record.ts";
import type { AvatarStore } from "./store.ts";

export const CLIP_FILE = "clip.mp4";
export const LOOP_FILE = "loop.i420";
/** Length of the clips that a generator is asked for. */
const GENERATED_SECONDS = 8;

/** Everything that builds avatars, as a test may replace it. */
export interface Tools {
  media: Media;
  finder: FaceFinder;
  builder: AvatarBuilder;
  /** Null where the built-in motion renderer makes the clips. */
  generator: ClipGenerator | null;
  footage: { check: typeof checkFootage; build: typeof buildFootage };
}

export const footageTools: Tools["footage"] = { check: checkFootage, build: buildFootage };

export class Workshop {
  readonly #store: AvatarStore;
  readonly #tools: Tools;
  /** The photograph that was looked at last: its tones follow one another. */
  #seen: { upload: string; framing: Framing; photo: CheckedPhoto } | null = null;

  constructor(store: AvatarStore, tools: Tools) {
    this.#store = store;
    this.#tools = tools;
  }

  async avatar({
    record,
    outDir,
    photo,
    onStep,
    signal,
  }: {
    record: AvatarRecord;
    outDir: string;
    photo: CheckedPhoto | undefined;
    onStep(step: BuildStep): void;
    signal: AbortSignal;
  }): Promise<AvatarInfo & { square?: NonNullable<AvatarRecord["square"]> }> {
    if (record.kind !== "video") {
      const checked = photo ?? (await this.#look(record, signal, onStep));
      if (askedTones(record).length > 0) this.#remember(record, checked);
      return { ...(await this.#render({ record, photo: checked, tone: baseTone, outDir, onStep })) };
    }
    const { finder, media, footage } = this.#tools;
    const files = record.takes?.[baseTone] ?? (record.original ? [record.original.file] : []);
    const paths = files.map((file) => this.#store.uploaded(record, file));
    const { framing } = record;
    const checked = await footage.check({ paths, framing, finder, media, onStep, signal });
    await this.#store.saveSource(record, await encodeSource(checked.still));
    const info = await footage.build({ footage: checked, outDir, finder, media, onStep, signal });
    return { ...info, square: squareOf({ crop: checked.crop, source: checked.still }) };
  }

  async tone({
    record,
    clip,
    tone,
    outDir,
    signal,
  }: {
    record: AvatarRecord;
    clip: ClipRecord;
    tone: Tone;
    outDir: string;
    signal: AbortSignal;
  }): Promise<AvatarInfo & { generated?: string }> {
    const store = this.#store;
    const { generator } = this.#tools;
    const takes = (record.takes?.[tone] ?? []).map((file) => store.uploaded(record, file));
    if (clip.template === "footage")
      return this.#track({ paths: takes, framing: record.framing, outDir, signal });
    if (clip.template === "http" && clip.generated_file !== undefined) {
      const paths = [store.uploaded(record, clip.generated_file)];
      return this.#track({ paths, framing: "full", outDir, signal });
    }
    const photo = await this.#look(record, signal);
    if (clip.template === "motion" || !generator) return this.#render({ record, photo, tone, outDir });
    const made = await generator.generate({
      still: await encodeSource(photo.cropped),
      tone,
      amplitude: record.gesture_amplitude,
      seconds: GENERATED_SECONDS,
      folder: store.uploaded(record, ""),
      signal,
    });
    try {
      const info = await this.#track({ paths: [made], framing: "full", outDir, signal });
      // It is kept for the next version of the preparation, and replaces what was paid for before.
      const generated = `generated__${tone}.mp4`;
      await store.addToUpload(record, { name: generated, content: { path: made, keep: false } });
      return { ...info, generated };
    } finally {
      await rm(made, { force: true });
    }
  }

  async #track({
    paths,
    framing,
    outDir,
    signal,
  }: {
    paths: readonly string[];
    framing: Framing;
    outDir: string;
    signal: AbortSignal;
  }): Promise<AvatarInfo> {
    const { finder, media, footage } = this.#tools;
    const checked = await footage.check({ paths, framing, finder, media, signal });
    return footage.build({ footage: checked, outDir, finder, media, signal });
  }

  async #render({
    record,
    photo,
    tone,
    outDir,
    onStep,
  }: {
    record: AvatarRecord;
    photo: CheckedPhoto;
    tone: Tone;
    outDir: string;
    onStep?(step: BuildStep): void;
  }): Promise<AvatarInfo> {
    const { builder } = this.#tools;
    return buildPhoto({
      photo,
      outDir,
      motion: record.gesture_amplitude,
      seed: seedOf(record),
      builder: (options) => builder({ ...options, tone }),
      ...(onStep && { onStep }),
    });
  }

  /** Looks at the kept picture, or remembers what it saw. */
  async #look(
    record: AvatarRecord,
    signal: AbortSignal,
    onStep?: (step: BuildStep) => void,
  ): Promise<CheckedPhoto> {
    const { framing } = record;
    if (this.#seen?.upload === sourceOf(record) && this.#seen.framing === framing) return this.#seen.photo;
    const bytes = await this.#store.readPicture(record);
    const { finder, media } = this.#tools;
    const photo = await checkPhoto({ bytes, framing, finder, media, signal, ...(onStep && { onStep }) });
    this.#remember(record, photo);
    return photo;
  }

  #remember(record: AvatarRecord, photo: CheckedPhoto): void {
    this.#seen = { upload: sourceOf(record), framing: record.framing, photo };
  }

  async encode(
    outDir: string,
    { width, height, fps }: Pick<AvatarInfo, "width" | "height" | "fps">,
    signal: AbortSignal,
  ): Promise<void> {
    await this.#tools.media.clip({
      framesPath: join(outDir, LOOP_FILE),
      width,
      height,
      fps,
      outPath: join(outDir, CLIP_FILE),
      signal,
    });
  }

  /** No tone of a record's photograph is made any more. Another avatar may be built meanwhile, whose photograph stays. */
  forget(record: AvatarRecord): void {
    if (this.#seen?.upload === sourceOf(record)) this.#seen = null;
  }
}

/** Names the picture behind a record: another upload is another one. */
function sourceOf({ id, upload = "", sha256 }: AvatarRecord): string {
  return `${id}/${upload}/${sha256}`;
}
