// Seated stills: jobs that turn a photograph into the same person seated for a call. They are done one after another, and kept
// on disk for a day.

import { randomUUID } from "node:crypto";
import { join } from "node:path";
import sharp from "sharp";
import { limits } from "../../contract/limits.ts";
import type { StillJob } from "../../contract/stills.ts";
import { AvatarError } from "../avatars/errors.ts";
import { compareFaces } from "../avatars/identity.ts";
import { FaceFinder } from "../avatars/landmarks.ts";
import type { Picture } from "../media/picture.ts";
import { decodePhoto } from "../avatars/photo.ts";
import { encodeSource } from "../avatars/prepare.ts";
import { isDiskFull, Refusal } from "../failure.ts";
import type { Media } from "../media/media.ts";
import { describeError, type Log } from "../ops/log.ts";
import type { StillGenerator, StillRefusal } from "./generator.ts";
import { httpStillGenerator } from "./http-generator.ts";
import { seatedGenerator } from "./seated-generator.ts";
import { StillStore, type Job } from "./store.ts";

const hourSeconds = 3600;
/** Jobs that wait at once, whoever asked for them. */
const mostWaiting = 32;
const sweepEveryMs = 15 * 60_000;
/** The face models take memory, so they are kept no longer than one job after another needs them. */
const restAfterMs = 15_000;

/** What people are told. The generator's own words are its operator's business. */
const messages: Record<StillRefusal, string> = {
  not_the_same_person: "The still did not show the same person as the photograph. Try another photograph.",
  bad_request: "No still can be made of this photograph with this note and look.",
  generation_failed: "The still could not be made. Try again.",
};

export interface StillsOptions {
  /** The box's state folder; jobs live in `<stateDir>/stills`. */
  stateDir: string;
  /** An HTTP generator; null: photographs are re-framed here. */
  url: string | null;
  media: Pick<Media, "photo">;
  log: Log;
  nowMs?(): number;
}

export interface StillWish {
  account: string;
  photograph: Uint8Array;
  /** Where the photograph can be fetched, if anywhere. */
  photographUrl: string | null;
  note: string | null;
  look: Record<string, string> | null;
}

type Seen = { picture: Picture; face: Awaited<ReturnType<FaceFinder["findFace"]>> };

export class Stills {
  readonly #options: StillsOptions;
  readonly #store: StillStore;
  readonly #generator: StillGenerator;
  readonly #nowMs: () => number;
  readonly #jobs = new Map<string, Job>();
  /** Asked for and not kept yet, by account: they count as well. */
  readonly #arriving = new Map<string, number>();
  readonly #queue: { id: string; photographUrl: string | null }[] = [];
  readonly #ended = new AbortController();
  readonly #timer: NodeJS.Timeout;
  #finder: FaceFinder | null = null;
  #resting: NodeJS.Timeout | undefined;
  #looking = 0;
  #working: Promise<void> | null = null;

  /** Takes up what is on disk: what waited waits again, and what ran when the box died has failed. */
  static async open(options: StillsOptions): Promise<Stills> {
    const stills = new Stills(options);
    for (const job of (await stills.#store.load()).toSorted((a, b) => a.created_at - b.created_at)) {
      stills.#jobs.set(job.id, job);
      if (job.outcome.case === "running") await stills.#fail(job, "generation_failed");
      else if (job.outcome.case === "pending") stills.#queue.push({ id: job.id, photographUrl: null });
    }
    await stills.sweep();
    stills.#work();
    return stills;
  }

  private constructor(options: StillsOptions) {
    this.#options = options;
    this.#store = new StillStore(join(options.stateDir, "stills"));
    this.#generator = options.url === null ? seatedGenerator : httpStillGenerator(options.url);
    this.#nowMs = options.nowMs ?? Date.now;
    this.#timer = setInterval(() => void this.sweep().catch(() => undefined), sweepEveryMs);
    this.#timer.unref();
  }

  /** Rejects with Refusal rate_limited where the account has had its stills; asked before a photograph is read. */
  checkRoom(account: string): void {
    const since = this.#now() - hourSeconds;
    const recent = [...this.#jobs.values()]
      .filter((job) => job.account === account && job.created_at > since)
      .map((job) => job.created_at)
      .toSorted((a, b) => a - b);
    const arriving = this.#arriving.get(account) ?? 0;
    const over = recent.length + arriving - limits.stillsPerHour;
    if (over >= 0) {
      const wait = Math.max(1, (recent[over] ?? this.#now()) - since);
      throw rateLimited(
        `An account has ${limits.stillsPerHour} seated stills an hour. Try again later.`,
        wait,
      );
    }
    if (this.#queue.length + this.#looking >= mostWaiting)
      throw rateLimited("Many stills are being made just now. Try again shortly.", 30);
  }

  /** Looks at the photograph and begins a job. Rejects with AvatarError: what is wrong with the picture. */
  async start({ account, photograph, photographUrl, note, look }: StillWish): Promise<string> {
    this.#ended.signal.throwIfAborted();
    this.checkRoom(account);
    this.#arriving.set(account, (this.#arriving.get(account) ?? 0) + 1);
    try {
      const { picture } = await this.#see(photograph);
      const job: Job = {
        id: randomUUID(),
        account,
        note,
        look,
        created_at: this.#now(),
        outcome: { case: "pending" },
      };
      await this.#store.add(job, await encodeSource(picture)).catch((error: unknown) => {
        throw isDiskFull(error)
          ? new Refusal("storage_full", "The disk of the box is full; nothing was kept.", { cause: error })
          : error;
      });
      this.#jobs.set(job.id, job);
      this.#queue.push({ id: job.id, photographUrl });
      this.#work();
      return job.id;
    } finally {
      const left = (this.#arriving.get(account) ?? 1) - 1;
      if (left > 0) this.#arriving.set(account, left);
      else this.#arriving.delete(account);
    }
  }

  /** Throws Refusal unknown_job for one that is not there, not the account's, or older than a day. */
  read(account: string, id: string): StillJob {
    const { outcome } = this.#find(account, id);
    switch (outcome.case) {
      case "pending":
      case "running":
        return { state: outcome.case };
      case "failed":
        return { state: "failed", error: outcome.error, message: messages[outcome.error] };
      case "done":
        return {
          state: "done",
          image_url: `/api/avatar/seated-still/${id}/image`,
          identity_checked: true,
          identity_score: outcome.identity_score,
        };
    }
  }

  /** The PNG of a job that is done. */
  async image(account: string, id: string): Promise<Buffer> {
    const { outcome } = this.#find(account, id);
    if (outcome.case !== "done") throw unknownJob("This job has no picture.");
    return this.#store.still(id);
  }

  /** Removes what has had its day. */
  async sweep(): Promise<void> {
    for (const job of this.#jobs.values()) {
      if (this.#isCurrent(job)) continue;
      this.#jobs.delete(job.id);
      await this.#store.remove(job.id);
    }
  }

  /** What runs is stopped, and waits for the next start. */
  async close(): Promise<void> {
    clearInterval(this.#timer);
    this.#ended.abort(new Refusal("library_closed", "The box is ending."));
    await this.#working;
    clearTimeout(this.#resting);
    await this.#finder?.close();
    this.#finder = null;
  }

  #find(account: string, id: string): Job {
    const job = this.#jobs.get(id);
    if (job?.account !== account || !this.#isCurrent(job))
      throw unknownJob("You have no such job, or it is older than a day.");
    return job;
  }

  #work(): void {
    if (this.#working || this.#queue.length === 0) return;
    this.#working = this.#drain().finally(() => {
      this.#working = null;
      if (this.#ended.signal.aborted) return;
      this.#work();
      this.#rest();
    });
  }

  async #drain(): Promise<void> {
    for (let next = this.#queue.shift(); next; next = this.#queue.shift()) {
      if (this.#ended.signal.aborted) return;
      const job = this.#jobs.get(next.id);
      if (job) await this.#run(job, next.photographUrl);
    }
  }

  async #run(job: Job, photographUrl: string | null): Promise<void> {
    try {
      await this.#move(job, { case: "running" });
      const photograph = await this.#store.photograph(job.id);
      const seen = await this.#see(photograph);
      const imageUrl = photographUrl ?? `data:image/jpeg;base64,${photograph.toString("base64")}`;
      const answer = await this.#generator.make({
        ...seen,
        imageUrl,
        note: job.note,
        look: job.look,
        signal: this.#ended.signal,
      });
      if (!answer.ok) {
        await this.#fail(job, answer.error);
        return;
      }
      const still = await this.#options.media.photo(answer.image, this.#ended.signal);
      const { score, same } = await this.#compare(seen.picture, still);
      if (!same) {
        this.#options.log.warn({ job: job.id, score }, "a still showed somebody else");
        await this.#fail(job, "not_the_same_person");
        return;
      }
      await this.#store.saveStill(job.id, await encodeStill(still));
      await this.#move(job, { case: "done", identity_score: score });
    } catch (error) {
      if (this.#ended.signal.aborted) {
        await this.#move(job, { case: "pending" }).catch(() => undefined);
        return;
      }
      this.#options.log.warn({ job: job.id, ...describeError(error) }, "a still could not be made");
      await this.#fail(job, "generation_failed");
    }
    await this.#store.dropPhotograph(job.id).catch(() => undefined);
  }

  /** A picture without a usable face shows nobody, and so not the same person. */
  async #compare(photograph: Picture, still: Picture): Promise<{ score: number; same: boolean }> {
    try {
      return await compareFaces(photograph, still, { finder: this.#open() });
    } catch (error) {
      if (!(error instanceof AvatarError) || error.code === "library_closed") throw error;
      return { score: 0, same: false };
    }
  }

  async #see(photograph: Uint8Array): Promise<Seen> {
    this.#looking += 1;
    try {
      const picture = await decodePhoto(photograph, this.#options.media, this.#ended.signal);
      return { picture, face: await this.#open().findFace(picture) };
    } finally {
      this.#looking -= 1;
      this.#rest();
    }
  }

  /** Moves in memory whatever the disk says; a job that was not saved as ended has failed after the next start. */
  async #fail(job: Job, error: StillRefusal): Promise<void> {
    await this.#move(job, { case: "failed", error }).catch((cause: unknown) =>
      this.#options.log.warn({ job: job.id, ...describeError(cause) }, "a failed still could not be noted"),
    );
    await this.#store.dropPhotograph(job.id).catch(() => undefined);
  }

  async #move(job: Job, outcome: Job["outcome"]): Promise<void> {
    const moved = { ...job, outcome };
    // A job is done only once its picture can be found again; anything else is true whatever the disk says.
    if (outcome.case === "done") await this.#store.save(moved);
    if (this.#jobs.has(job.id)) this.#jobs.set(job.id, moved);
    if (outcome.case !== "done") await this.#store.save(moved);
  }

  #open(): FaceFinder {
    this.#resting?.refresh();
    return (this.#finder ??= new FaceFinder());
  }

  #rest(): void {
    clearTimeout(this.#resting);
    this.#resting = setTimeout(() => {
      if (this.#looking > 0 || this.#working) return;
      const finder = this.#finder;
      this.#finder = null;
      void finder?.close();
    }, restAfterMs);
    this.#resting.unref();
  }

  #isCurrent(job: Job): boolean {
    return job.created_at > this.#now() - limits.stillKeptSeconds;
  }

  #now(): number {
    return Math.floor(this.#nowMs() / 1000);
  }
}

/** The generator's bytes go no further than the decoder: what is served was written here. */
function encodeStill({ rgb, width, height }: Picture): Promise<Buffer> {
  return sharp(rgb, { raw: { width, height, channels: 3 } })
    .png()
    .toBuffer();
}

function unknownJob(message: string): Refusal {
  return new Refusal("unknown_job", message);
}

function rateLimited(message: string, waitSeconds: number): Refusal {
  return new Refusal("rate_limited", message, { headers: { "Retry-After": String(waitSeconds) } });
}
