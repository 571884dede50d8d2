import { rm } from "node:fs/promises";
import type { BuildReport, BuildStep } from "../../contract/avatars.ts";
import { AvatarError } from "./errors.ts";
import { buildPhoto } from "./prepare.ts";
import type { AvatarBuilder, CheckedPhoto } from "./prepare.ts";
import type { AvatarRecord, AvatarStore } from "./store.ts";

/** A place in the queue: taken before the picture is checked, so that the same id is never prepared twice at once. */
export interface Ticket {
  /** Tells the journal how far the work is. */
  step(step: BuildStep): void;
  /** Queues the build; `check` runs when its turn comes. */
  start(record: AvatarRecord, check: () => Promise<CheckedPhoto>): void;
  /** Gives the place back without a build. */
  release(): void;
}

export interface BuildQueueOptions {
  store: AvatarStore;
  builder: AvatarBuilder;
  onProgress?: ((avatar: string, report: BuildReport) => void) | undefined;
  /** A record changed, and is saved. */
  onRecord(record: AvatarRecord): void;
  /** False for an avatar that was deleted meanwhile. */
  isWanted(id: string): boolean;
}

/** Pictures being checked or built; more at once would only make each later. */
const MAX_TICKETS = 8;
/** Share of the whole that is done when a step begins: the rig with its loop is most of it. */
const PROGRESS: Record<BuildStep, number> = {
  decode: 0.05,
  landmarks: 0.1,
  preview: 0.25,
  rig: 0.3,
  clips: 0.6,
  done: 1,
};

/** Builds avatars one after another, off the event loop, and keeps the journal of it. */
export class BuildQueue {
  #options: BuildQueueOptions;
  #reports = new Map<string, BuildReport>();
  #busy = new Map<string, Promise<void>>();
  #tail: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(options: BuildQueueOptions) {
    this.#options = options;
  }

  /** Throws AvatarError avatar_busy, too_many_builds (unless `unlimited`) or library_closed. */
  reserve(id: string, { unlimited = false }: { unlimited?: boolean } = {}): Ticket {
    if (this.#closed) throw new AvatarError("library_closed", "The avatar library is closing.");
    if (this.#busy.has(id)) {
      throw new AvatarError("avatar_busy", "This avatar is being built already; wait until it is ready.");
    }
    if (!unlimited && this.#busy.size >= MAX_TICKETS) {
      throw new AvatarError("too_many_builds", "Too many avatars are being built; try again in a minute.", {
        headers: { "Retry-After": "60" },
      });
    }
    const done = Promise.withResolvers<void>();
    this.#busy.set(id, done.promise);
    const earlier = this.#reports.get(id);
    const startedAt = epochSeconds();
    const release = () => {
      this.#busy.delete(id);
      done.resolve();
    };
    const report = (change: Partial<BuildReport> & { step: BuildStep }) => {
      const next: BuildReport = {
        state: "preparing",
        progress: PROGRESS[change.step],
        detail: "",
        started_at: startedAt,
        finished_at: null,
        ...change,
      };
      this.#reports.set(id, next);
      this.#options.onProgress?.(id, next);
    };
    return {
      step: (step) => {
        // "done" belongs to the record: it is told when avatar.json says so.
        if (step !== "done") report({ step });
      },
      start: (record, check) => {
        const run = () => this.#run({ record, check, report }).finally(release);
        this.#tail = this.#tail.then(run, run);
      },
      release: () => {
        if (earlier) this.#reports.set(id, earlier);
        else this.#reports.delete(id);
        release();
      },
    };
  }

  report(id: string): BuildReport | undefined {
    return this.#reports.get(id);
  }

  isBusy(id: string): boolean {
    return this.#busy.has(id);
  }

  /** Resolves when nothing is under way for an avatar. */
  async settled(id: string): Promise<void> {
    await this.#busy.get(id);
  }

  forget(id: string): void {
    this.#reports.delete(id);
  }

  /** Lets the build under way finish and skips the others; their records stay `preparing` for the next start. */
  async close(): Promise<void> {
    this.#closed = true;
    await this.#tail;
  }

  async #run({
    record,
    check,
    report,
  }: {
    record: AvatarRecord;
    check: () => Promise<CheckedPhoto>;
    report: (change: Partial<BuildReport> & { step: BuildStep }) => void;
  }): Promise<void> {
    if (this.#closed) return;
    const { store, builder } = this.#options;
    const build = store.newBuild();
    const outDir = store.dirOf(record.id, build);
    let step: BuildStep = "decode";
    try {
      const photo = await check();
      await buildPhoto({
        photo,
        outDir,
        motion: record.gesture_amplitude,
        // The same photograph gives the same loop.
        seed: Number.parseInt(record.sha256.slice(0, 8), 16),
        builder,
        onStep: (next) => {
          step = next;
          if (next !== "done") report({ step: next });
        },
      });
      await this.#finish({ ...record, status: "ready", detail: "", build, updated_at: epochSeconds() });
      // A session may be about to open the build that was replaced; it goes at the next one or the next start.
      await store.removeBuildsExcept(record.id, [build, record.build]);
      report({ step: "done", state: "ready", finished_at: epochSeconds() });
    } catch (error) {
      await rm(outDir, { recursive: true, force: true });
      if (this.#closed && !(error instanceof AvatarError)) return;
      const detail = error instanceof AvatarError ? error.message : "The avatar could not be built.";
      await this.#finish({ ...record, status: "failed", detail, updated_at: epochSeconds() }).catch(
        () => undefined,
      );
      report({ step, state: "failed", detail, finished_at: epochSeconds() });
    }
  }

  async #finish(record: AvatarRecord): Promise<void> {
    if (!this.#options.isWanted(record.id)) throw new Error("The avatar was deleted.");
    // In memory first: were the disk full, this process would still say what became of the build.
    this.#options.onRecord(record);
    await this.#options.store.save(record);
  }
}

function epochSeconds(): number {
  return Math.floor(Date.now() / 1000);
}
