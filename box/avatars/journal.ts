// How the last build of each avatar is coming along.

import type { BuildReport, BuildStep } from "../../contract/avatars.ts";
import { baseTone } from "../../contract/tones.ts";
import { askedTones, clipsOf, epochSeconds, type AvatarRecord } from "./record.ts";

/** Share of the whole that is done when a step begins: the rig with its loop is most of it. */
const PROGRESS: Record<BuildStep, number> = {
  decode: 0.05,
  landmarks: 0.1,
  preview: 0.25,
  rig: 0.3,
  clips: 0.6,
  done: 1,
};

export interface JournalOptions {
  /** The record that a report is about. */
  record(avatar: string): AvatarRecord | undefined;
  onProgress?: ((avatar: string, report: BuildReport) => void) | undefined;
}

export class Journal {
  readonly #options: JournalOptions;
  readonly #reports = new Map<string, BuildReport>();

  constructor(options: JournalOptions) {
    this.#options = options;
  }

  /** A new build begins with its first step; the answer takes it back, as if it had never begun. */
  begin(avatar: string): () => void {
    const earlier = this.#reports.get(avatar);
    this.#reports.delete(avatar);
    return () => {
      if (earlier) this.#reports.set(avatar, earlier);
      else this.#reports.delete(avatar);
    };
  }

  /** The avatar itself got to a step. What comes after its loop is told by `settle`. */
  step(avatar: string, step: BuildStep): void {
    if (step === "clips" || step === "done") return;
    this.#tell(avatar, { state: "preparing", step, progress: PROGRESS[step] });
  }

  /** The avatar itself waits to be built, anew where it was before. */
  queued(avatar: string): void {
    this.begin(avatar);
    this.step(avatar, "decode");
  }

  failed(avatar: string, step: BuildStep, detail: string): void {
    const progress = PROGRESS[step];
    this.#tell(avatar, { state: "failed", step, progress, detail, finished_at: epochSeconds() });
  }

  /** A clip of an avatar moved, or the avatar is ready: the build is over when no clip is being made any more. */
  settle(record: AvatarRecord): void {
    if (record.status !== "ready") return;
    const made = [baseTone, ...askedTones(record)].map((tone) => record.clips?.[tone]?.state);
    // The base clip comes with the avatar; only while it is made is it waited for.
    const asked = made[0] === "generating" ? made : made.slice(1);
    const waiting = asked.filter((state) => state === "generating").length;
    const share = asked.length === 0 ? 1 : 1 - waiting / asked.length;
    const done = waiting === 0;
    this.#tell(record.id, {
      state: "ready",
      step: done ? "done" : "clips",
      progress: done ? PROGRESS.done : PROGRESS.clips + (PROGRESS.done - PROGRESS.clips) * share,
      finished_at: done ? epochSeconds() : null,
    });
  }

  report(avatar: string): BuildReport | undefined {
    const report = this.#reports.get(avatar);
    const record = this.#options.record(avatar);
    return report && record ? { ...report, clips: clipsOf(record) } : report;
  }

  forget(avatar: string): void {
    this.#reports.delete(avatar);
  }

  #tell(
    avatar: string,
    change: Pick<BuildReport, "state" | "step" | "progress"> & Partial<BuildReport>,
  ): void {
    const before = this.#reports.get(avatar);
    const goesOn = before?.finished_at === null;
    this.#reports.set(avatar, {
      detail: "",
      started_at: goesOn ? before.started_at : epochSeconds(),
      finished_at: null,
      ...change,
    });
    const report = this.report(avatar);
    if (report) this.#options.onProgress?.(avatar, report);
  }
}
