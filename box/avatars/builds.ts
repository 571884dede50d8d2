// What is done when a build's turn comes: rig, loop and clip of an avatar, or of one of its tones.

import { rm } from "node:fs/promises";
import { join } from "node:path";
import type { AvatarInfo } from "../../native/binding/index.d.ts";
import type { BuildStep, Framing } from "../../contract/avatars.ts";
import type { Clip } from "../../contract/clips.ts";
import { baseTone, type Tone } from "../../contract/tones.ts";
import type { Media } from "../media/media.ts";
import type { BuildQueue, Claim } from "./build-queue.ts";
import type { ClipGenerator } from "./clips/generator.ts";
import { squareOf } from "./entry.ts";
import { isDefect, sentenceOf } from "./faults.ts";
import { buildFootage, checkFootage } from "./footage.ts";
import type { Journal } from "./journal.ts";
import type { FaceFinder } from "./landmarks.ts";
import { buildPhoto, checkPhoto, encodeSource, PREPARATION_VERSION } from "./prepare.ts";
import type { AvatarBuilder, CheckedPhoto } from "./prepare.ts";
import { askedTones, clipOf, epochSeconds, seedOf, type AvatarRecord, type ClipRecord } from "./record.ts";
import type { Shelf } from "./shelf.ts";

export const CLIP_FILE = "clip.mp4";
export const LOOP_FILE = "loop.i420";
/** Length of the clips that a generator is asked for. */
const GENERATED_SECONDS = 8;

const notBuilt = "The avatar could not be built.";
const clipNotBuilt = "The clip could not be built.";
const boxEnded = "The box stopped while this clip was built. Ask for it again.";

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

export interface BuildsOptions {
  shelf: Shelf;
  queue: BuildQueue;
  journal: Journal;
  tools: Tools;
  onClip?: ((avatar: string, clip: Clip) => void) | undefined;
  onFault?: ((error: unknown) => void) | undefined;
}

/** The build belongs to a record that is gone, or was replaced: it is given up. */
class Unwanted extends Error {}

export class Builds {
  readonly #options: BuildsOptions;
  /** The photograph that was looked at last: its tones follow one another. */
  #seen: { upload: string; framing: Framing; photo: CheckedPhoto } | null = null;

  constructor(options: BuildsOptions) {
    this.#options = options;
  }

  /** Queues the build of an avatar itself; `photo` is what its check found already. */
  startAvatar(claim: Claim, photo?: CheckedPhoto): void {
    let checked = photo;
    claim.start(() => {
      const found = checked;
      checked = undefined;
      return this.#buildAvatar(claim, found);
    });
  }

  /** Queues the build of a tone whose record says `generating`. */
  startTone(claim: Claim): void {
    claim.start(() => this.#buildTone(claim));
  }

  /** Tells of a clip as it is now. */
  tell(id: string, tone: Tone): void {
    const record = this.#options.shelf.get(id);
    const clip = record && clipOf(record, tone);
    if (clip) this.#options.onClip?.(id, clip);
  }

  async #buildAvatar(claim: Claim, photo: CheckedPhoto | undefined): Promise<void> {
    const { shelf, journal, queue } = this.#options;
    const begun = shelf.get(claim.avatar);
    if (!begun) return;
    const { id } = begun;
    const build = shelf.store.newBuild();
    const outDir = shelf.store.dirOf(id, build);
    let step: BuildStep = "decode";
    const onStep = (next: BuildStep) => {
      step = next;
      journal.step(id, next);
    };
    try {
      const made = await this.#makeAvatar({ record: begun, outDir, photo, onStep, signal: claim.signal });
      const base = await this.#baseClip(outDir, made, begun, claim.signal);
      const ready = await shelf.change(id, (record) =>
        sameSource(record, begun)
          ? {
              ...record,
              status: "ready",
              detail: "",
              build,
              version: PREPARATION_VERSION,
              ...(made.square && { square: made.square }),
              clips: { ...record.clips, [baseTone]: base },
              updated_at: epochSeconds(),
            }
          : undefined,
      );
      if (!ready) throw new Unwanted();
      // A session may be about to open the build that was replaced; it goes at the next one or the next start.
      await shelf.store.removeAllBut(ready, [begun.build]).catch(() => undefined);
      journal.settle(ready);
      this.tell(id, baseTone);
    } catch (error) {
      await rm(outDir, { recursive: true, force: true });
      // What the end of the box called off is built at its next start.
      if (queue.closed && (claim.signal.aborted || isDefect(error))) return;
      const detail = sentenceOf(error, notBuilt);
      const failed = await this.#fail(id, (record) =>
        sameSource(record, begun) && !(error instanceof Unwanted)
          ? { ...record, status: "failed", detail, build: begun.build, updated_at: epochSeconds() }
          : undefined,
      );
      if (!failed) return;
      if (isDefect(error)) this.#options.onFault?.(error);
      journal.failed(id, step, detail);
      this.tell(id, baseTone);
    }
  }

  async #makeAvatar({
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
    const { shelf } = this.#options;
    if (record.kind !== "video") {
      const checked = photo ?? (await this.#look(record, signal, onStep));
      if (askedTones(record).length > 0) this.#remember(record, checked);
      return { ...(await this.#render({ record, photo: checked, tone: baseTone, outDir, onStep })) };
    }
    const { finder, media, footage } = this.#options.tools;
    const files = record.takes?.[baseTone] ?? (record.original ? [record.original.file] : []);
    const paths = files.map((file) => shelf.store.uploaded(record, file));
    const { framing } = record;
    const checked = await footage.check({ paths, framing, finder, media, onStep, signal });
    await shelf.store.saveSource(record, await encodeSource(checked.still));
    const info = await footage.build({ footage: checked, outDir, finder, media, onStep, signal });
    return { ...info, square: squareOf({ crop: checked.crop, source: checked.still }) };
  }

  /** An avatar lives without its MP4. */
  async #baseClip(
    outDir: string,
    info: AvatarInfo,
    { kind }: AvatarRecord,
    signal: AbortSignal,
  ): Promise<ClipRecord> {
    const clip: ClipRecord = {
      state: "generated",
      detail: "",
      template: kind === "video" ? "footage" : "motion",
      build: null,
      version: PREPARATION_VERSION,
      frames: info.frames,
      fps: info.fps,
      begun: false,
      updated_at: epochSeconds(),
    };
    try {
      await this.#encode(outDir, info, signal);
      return clip;
    } catch (error) {
      if (signal.aborted) throw error;
      await rm(join(outDir, CLIP_FILE), { force: true });
      if (isDefect(error)) this.#options.onFault?.(error);
      return { ...clip, state: "failed", detail: sentenceOf(error, clipNotBuilt) };
    }
  }

  async #buildTone(claim: Claim): Promise<void> {
    const { shelf, queue } = this.#options;
    const { avatar: id, tone } = claim;
    const begun = await shelf
      .change(id, (record) => withClip(record, tone, (clip) => ({ ...clip, begun: true })))
      .catch(() => shelf.get(id));
    const clip = begun?.clips?.[tone];
    if (!begun || clip?.state !== "generating") return;
    const build = shelf.store.newBuild();
    const outDir = shelf.store.dirOf(id, build);
    try {
      const made = await this.#makeTone({ record: begun, clip, tone, outDir, signal: claim.signal });
      await this.#encode(outDir, made, claim.signal);
      const { frames, fps, generated } = made;
      const ready = await shelf.change(id, (record) =>
        sameSource(record, begun)
          ? withClip(record, tone, (now) => ({
              ...now,
              state: "generated",
              detail: "",
              build,
              version: PREPARATION_VERSION,
              frames,
              fps,
              begun: false,
              ...(generated !== undefined && { generated_file: generated }),
              archived: false,
              updated_at: epochSeconds(),
            }))
          : undefined,
      );
      if (!ready) throw new Unwanted();
      await shelf.store.removeAllBut(ready, [clip.build]).catch(() => undefined);
      this.#settle(ready, tone);
    } catch (error) {
      await rm(outDir, { recursive: true, force: true });
      if (error instanceof Unwanted) return;
      const calledOff = queue.closed && claim.signal.aborted;
      if (!calledOff && isDefect(error)) this.#options.onFault?.(error);
      const detail = calledOff ? boxEnded : sentenceOf(error, clipNotBuilt);
      // The next start of the box takes up what its end called off, unless that would be paid for again.
      const waits = calledOff && clip.template !== "http";
      const after: Partial<ClipRecord> = waits ? { begun: false } : { state: "failed", detail, begun: false };
      const failed = await this.#fail(id, (record) =>
        sameSource(record, begun)
          ? withClip(record, tone, () => ({ ...clip, ...after, updated_at: epochSeconds() }))
          : undefined,
      );
      if (failed && !waits) this.#settle(failed, tone);
    } finally {
      const rest = Object.values(shelf.get(id)?.clips ?? {});
      if (!rest.some(({ state }) => state === "generating")) this.#seen = null;
    }
  }

  #settle(record: AvatarRecord, tone: Tone): void {
    this.#options.journal.settle(record);
    this.tell(record.id, tone);
  }

  async #makeTone({
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
    const { shelf, tools } = this.#options;
    const { generator } = tools;
    const { store } = shelf;
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
    const { finder, media, footage } = this.#options.tools;
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
    const { builder } = this.#options.tools;
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
    const { shelf, tools } = this.#options;
    const { framing } = record;
    if (this.#seen?.upload === sourceOf(record) && this.#seen.framing === framing) return this.#seen.photo;
    const bytes = await shelf.store.readPicture(record);
    const { finder, media } = tools;
    const photo = await checkPhoto({ bytes, framing, finder, media, signal, ...(onStep && { onStep }) });
    this.#remember(record, photo);
    return photo;
  }

  #remember(record: AvatarRecord, photo: CheckedPhoto): void {
    this.#seen = { upload: sourceOf(record), framing: record.framing, photo };
  }

  async #encode(outDir: string, { width, height, fps }: AvatarInfo, signal: AbortSignal): Promise<void> {
    await this.#options.tools.media.clip({
      framesPath: join(outDir, LOOP_FILE),
      width,
      height,
      fps,
      outPath: join(outDir, CLIP_FILE),
      signal,
    });
  }

  /** A change that is kept in memory even where the disk takes nothing more. */
  async #fail(
    id: string,
    change: (record: AvatarRecord) => AvatarRecord | undefined,
  ): Promise<AvatarRecord | undefined> {
    const { shelf } = this.#options;
    const before = shelf.get(id);
    await shelf.change(id, change).catch(() => undefined);
    const after = shelf.get(id);
    return after === before ? undefined : after;
  }
}

/** Names the picture behind a record: another upload is another one. */
function sourceOf({ id, upload = "", sha256 }: AvatarRecord): string {
  return `${id}/${upload}/${sha256}`;
}

/** Whether a record is still about the file that a build began with. */
function sameSource(record: AvatarRecord, begun: AvatarRecord): boolean {
  return record.upload === begun.upload && record.sha256 === begun.sha256;
}

function withClip(
  record: AvatarRecord,
  tone: Tone,
  change: (clip: ClipRecord) => ClipRecord,
): AvatarRecord | undefined {
  const clip = record.clips?.[tone];
  return clip && { ...record, clips: { ...record.clips, [tone]: change(clip) } };
}
