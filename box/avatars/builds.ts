// What is done when a build's turn comes: rig and loop of an avatar and then its MP4, or all three of one of its tones.

import { rm } from "node:fs/promises";
import type { AvatarInfo } from "../../native/binding/index.d.ts";
import type { BuildStep } from "../../contract/avatars.ts";
import type { Clip } from "../../contract/clips.ts";
import { baseTone, type Tone } from "../../contract/tones.ts";
import type { BuildQueue, Claim } from "./build-queue.ts";
import { AvatarError } from "./errors.ts";
import { isDefect, sentenceOf } from "./faults.ts";
import type { Journal } from "./journal.ts";
import { PREPARATION_VERSION } from "./prepare.ts";
import type { CheckedPhoto } from "./prepare.ts";
import { clipOf, epochSeconds, isServable, type AvatarRecord, type ClipRecord } from "./record.ts";
import type { Shelf } from "./shelf.ts";
import { Workshop, type Tools } from "./workshop.ts";

const notBuilt = "The avatar could not be built.";
const clipNotBuilt = "The clip could not be built.";
const boxEnded = "The box stopped while this clip was built. Ask for it again.";

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
  readonly #workshop: Workshop;

  constructor(options: BuildsOptions) {
    this.#options = options;
    this.#workshop = new Workshop(options.shelf.store, options.tools);
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

  /** Queues the MP4 of an avatar's own loop, which its record says is still to be made. */
  startEncoding(claim: Claim): void {
    claim.start(() => this.#encodeBase(claim));
  }

  /** Tells of a clip as it is now. */
  tell(id: string, tone: Tone): void {
    const record = this.#options.shelf.get(id);
    const clip = record && clipOf(record, tone);
    if (clip) this.#options.onClip?.(id, clip);
  }

  async #buildAvatar(claim: Claim, photo: CheckedPhoto | undefined): Promise<void> {
    const { shelf, journal, queue } = this.#options;
    const begun = await shelf
      .change(claim.avatar, (record) => ({ ...record, begun: (record.begun ?? 0) + 1 }))
      .catch(() => shelf.get(claim.avatar));
    if (!begun) return;
    const { id } = begun;
    // What can be shown already stays as it is until the next is there, and if that is never.
    const remade = isServable(begun);
    const build = shelf.store.newBuild();
    const outDir = shelf.store.dirOf(id, build);
    let step: BuildStep = "decode";
    const onStep = (next: BuildStep) => {
      step = next;
      if (!remade) journal.step(id, next);
    };
    try {
      const made = await this.#workshop.avatar({
        record: begun,
        outDir,
        photo,
        onStep,
        signal: claim.signal,
      });
      const loop = baseClip(made, begun);
      // It can be shown now; what takes the place of a clip that can be played waits until it can be played itself.
      const base = remade ? encoded(loop, await this.#encode(outDir, made, claim.signal)) : loop;
      const ready = await shelf.change(id, (record) =>
        sameSource(record, begun)
          ? {
              ...record,
              status: "ready",
              detail: "",
              build,
              begun: 0,
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
      if (remade) this.tell(id, baseTone);
      else this.startEncoding(queue.claimEncoding(claim));
    } catch (error) {
      await rm(outDir, { recursive: true, force: true });
      // What the end of the box called off is built at its next start.
      const calledOff = queue.closed && (claim.signal.aborted || isDefect(error));
      const unwanted = error instanceof Unwanted;
      const detail = sentenceOf(error, notBuilt);
      const failed = await this.#keep(id, (record) => {
        if (!sameSource(record, begun) || unwanted) return undefined;
        if (calledOff) return { ...record, begun: 0 };
        const updated_at = epochSeconds();
        if (!remade) return { ...record, status: "failed", detail, begun: 0, build: begun.build, updated_at };
        const failure = { state: "failed", detail, version: PREPARATION_VERSION, updated_at } as const;
        return withClip({ ...record, begun: 0 }, baseTone, (clip) => ({ ...clip, ...failure }));
      });
      if (!failed || calledOff) return;
      if (isDefect(error)) this.#options.onFault?.(error);
      // Of what was uploaded before under its id nothing stays but the build that a session may be showing.
      await shelf.store.removeAllBut(failed).catch(() => undefined);
      if (remade) journal.settle(failed);
      else journal.failed(id, step, detail);
      this.tell(id, baseTone);
    }
  }

  /** Makes the MP4 of a loop; an avatar lives without it. Rejects when called off. */
  async #encode(outDir: string, loop: LoopSize, signal: AbortSignal): Promise<Encoded> {
    try {
      await this.#workshop.encode(outDir, loop, signal);
      return { state: "generated", detail: "" };
    } catch (error) {
      if (signal.aborted) throw error;
      if (isDefect(error)) this.#options.onFault?.(error);
      return { state: "failed", detail: sentenceOf(error, clipNotBuilt) };
    }
  }

  async #encodeBase(claim: Claim): Promise<void> {
    const { shelf } = this.#options;
    const { avatar: id } = claim;
    const begun = await shelf
      .change(id, (record) =>
        withClip(record, baseTone, (clip) => ({ ...clip, begun: Number(clip.begun) + 1 })),
      )
      .catch(() => shelf.get(id));
    const clip = begun?.clips?.[baseTone];
    if (!begun?.build || !clip?.unencoded) return;
    const loop = { ...clip.unencoded, fps: clip.fps };
    const outDir = shelf.store.dirOf(id, begun.build);
    // What the end of the box called off is made at its next start.
    const outcome = await this.#encode(outDir, loop, claim.signal).catch(() => null);
    const kept = await this.#keep(id, (record) => {
      if (record.build !== begun.build) return undefined;
      return withClip(record, baseTone, (now) => (outcome ? encoded(now, outcome) : { ...now, begun: 0 }));
    });
    if (kept && outcome) this.#settle(kept, baseTone);
  }

  async #buildTone(claim: Claim): Promise<void> {
    const { shelf, queue } = this.#options;
    const { avatar: id, tone } = claim;
    const begun = await shelf
      .change(id, (record) => withClip(record, tone, (clip) => ({ ...clip, begun: Number(clip.begun) + 1 })))
      .catch(() => shelf.get(id));
    const clip = begun?.clips?.[tone];
    if (!begun || clip?.state !== "generating") return;
    const build = shelf.store.newBuild();
    const outDir = shelf.store.dirOf(id, build);
    try {
      if (begun.status === "failed") throw new AvatarError("face_unusable", begun.detail || notBuilt);
      const made = await this.#workshop.tone({ record: begun, clip, tone, outDir, signal: claim.signal });
      await this.#workshop.encode(outDir, made, claim.signal);
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
              begun: 0,
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
      const after: Partial<ClipRecord> = waits ? { begun: 0 } : { state: "failed", detail, begun: 0 };
      const failed = await this.#keep(id, (record) =>
        sameSource(record, begun)
          ? withClip(record, tone, () => ({ ...clip, ...after, updated_at: epochSeconds() }))
          : undefined,
      );
      if (failed && !waits) this.#settle(failed, tone);
    } finally {
      const rest = Object.values(shelf.get(id)?.clips ?? {});
      if (!rest.some(({ state }) => state === "generating")) this.#workshop.forget(begun);
    }
  }

  #settle(record: AvatarRecord, tone: Tone): void {
    this.#options.journal.settle(record);
    this.tell(record.id, tone);
  }

  /** A change that is kept in memory even where the disk takes nothing more. */
  async #keep(
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

type LoopSize = Pick<AvatarInfo, "width" | "height" | "fps">;
type Encoded = Pick<ClipRecord, "state" | "detail">;

/** The clip of a loop that was just built, and has no MP4 yet. */
function baseClip({ width, height, frames, fps }: AvatarInfo, { kind }: AvatarRecord): ClipRecord {
  return {
    state: "generating",
    detail: "",
    template: kind === "video" ? "footage" : "motion",
    build: null,
    version: PREPARATION_VERSION,
    frames,
    fps,
    begun: 0,
    unencoded: { width, height },
    updated_at: epochSeconds(),
  };
}

function encoded(made: ClipRecord, outcome: Encoded): ClipRecord {
  const { unencoded: _, ...clip } = made;
  return { ...clip, ...outcome, begun: 0, updated_at: epochSeconds() };
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
