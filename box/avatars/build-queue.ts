// Who builds what, and when: one build after another, and never two of the same variant.

import { baseTone, type Tone } from "../../contract/tones.ts";
import { AvatarError } from "./errors.ts";

/** The right to build one variant, from before its source is checked until its build has ended. */
export interface Claim {
  readonly avatar: string;
  readonly tone: Tone;
  /** Aborts when nobody wants the build any more, and when the library closes. */
  readonly signal: AbortSignal;
  /** Queues the build. The claim ends with it, also where the library closes before its turn comes. */
  start(build: () => Promise<void>): void;
  /** Gives the claim back without a build. */
  release(): void;
}

/** An avatar on its way out: nothing of it can be claimed until it is released. */
export interface Removal {
  /** Resolves when the build that was under way has ended. */
  readonly settled: Promise<void>;
  release(): void;
}

/** `upload`: the avatar with its source, which nothing else of it may be under way for. */
type Kind = "upload" | "base" | "tone" | "removal";

interface Held extends Claim {
  readonly kind: Kind;
  readonly controller: AbortController;
  readonly done: Promise<void>;
  queued: boolean;
}

interface Job {
  readonly claim: Held;
  build(): Promise<void>;
}

/** Avatars come before the tones of any, and what nobody asked for comes last. */
const lanes = ["avatars", "tones", "idle"] as const;
type Lane = (typeof lanes)[number];

/** Uploads being checked or built; more at once would only make each later. */
const MAX_UPLOADS = 8;

export class BuildQueue {
  readonly #claims = new Map<string, Held>();
  readonly #waiting: Record<Lane, Job[]> = { avatars: [], tones: [], idle: [] };
  readonly #closing = Promise.withResolvers<void>();
  #running: Promise<void> | null = null;
  #closed = false;

  /** Throws AvatarError avatar_busy while anything of the avatar is claimed, too_many_builds or library_closed. */
  claimAvatar(avatar: string, { unlimited = false }: { unlimited?: boolean } = {}): Claim {
    this.#requireOpen();
    if (this.isBusy(avatar))
      throw new AvatarError("avatar_busy", "This avatar is being built already; wait until it is ready.");
    const uploads = [...this.#claims.values()].filter(({ kind }) => kind === "upload").length;
    if (!unlimited && uploads >= MAX_UPLOADS) {
      throw new AvatarError("too_many_builds", "Too many avatars are being built; try again in a minute.", {
        headers: { "Retry-After": "60" },
      });
    }
    return this.#claim(avatar, "upload", baseTone);
  }

  /** The tones that come with an upload, claimed by whoever takes it in. */
  claimWith({ avatar }: Claim, tones: readonly Tone[]): Claim[] {
    return tones.map((tone) => this.#claim(avatar, "tone", tone));
  }

  /**
   * Throws AvatarError clip_already_generating while exactly this variant is claimed, avatar_busy while another upload of
   * the avatar is being checked, or library_closed. `idle` builds come after all others.
   */
  claimTone(avatar: string, tone: Tone, { idle = false }: { idle?: boolean } = {}): Claim {
    this.#requireOpen();
    const held = this.#of(avatar);
    if (this.isBeingTakenIn(avatar) || held.some(({ kind }) => kind === "removal"))
      throw new AvatarError("avatar_busy", "This avatar is being uploaded again; try again in a moment.");
    if (held.some((claim) => claim.tone === tone))
      throw new AvatarError("clip_already_generating", "This clip is being built already; wait for it.");
    return this.#claim(avatar, tone === baseTone ? "base" : "tone", tone, idle ? "idle" : undefined);
  }

  /** Whether anything of an avatar is claimed. */
  isBusy(avatar: string): boolean {
    return this.#of(avatar).length > 0;
  }

  /** Whether an upload has not got as far as a build, which is when it cannot be called off. */
  isBeingTakenIn(avatar: string): boolean {
    return this.#of(avatar).some(({ kind, queued }) => kind === "upload" && !queued);
  }

  /** Resolves when nothing is under way for an avatar, or for the variant of one tone. */
  async settled(avatar: string, tone?: Tone): Promise<void> {
    await Promise.all(this.#of(avatar, tone).map(({ done }) => done));
  }

  /** Calls off whatever is under way for an avatar, at once where it only waits for its turn, and lets nothing new begin. */
  remove(avatar: string): Removal {
    const held = this.#of(avatar);
    for (const lane of lanes) {
      const jobs = this.#waiting[lane];
      this.#waiting[lane] = jobs.filter(({ claim }) => claim.avatar !== avatar);
      for (const { claim } of jobs) if (claim.avatar === avatar) claim.release();
    }
    for (const { controller } of held) controller.abort();
    const { release } = this.#claim(avatar, "removal", baseTone);
    return { settled: Promise.all(held.map(({ done }) => done)).then(() => undefined), release };
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Resolves when the library begins to close. */
  get closing(): Promise<void> {
    return this.#closing.promise;
  }

  /** Calls off the build under way, waits for its end and skips the others, which the next start takes up. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#closing.resolve();
    for (const { controller } of this.#claims.values()) controller.abort();
    await this.#running;
  }

  #requireOpen(): void {
    if (this.#closed) throw new AvatarError("library_closed", "The avatar library is closing.");
  }

  #of(avatar: string, tone?: Tone): Held[] {
    return [...this.#claims.values()].filter(
      (claim) => claim.avatar === avatar && (tone === undefined || claim.tone === tone),
    );
  }

  #claim(avatar: string, kind: Kind, tone: Tone, lane: Lane = tone === baseTone ? "avatars" : "tones"): Held {
    const key = kind === "removal" ? `${avatar}__${kind}` : `${avatar}__${tone}`;
    const controller = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    const held: Held = {
      avatar,
      kind,
      tone,
      controller,
      signal: controller.signal,
      done: promise,
      queued: false,
      start: (build) => {
        if (controller.signal.aborted) return held.release();
        held.queued = true;
        this.#waiting[lane].push({ claim: held, build });
        this.#running ??= this.#run();
      },
      release: () => {
        if (this.#claims.get(key) === held) this.#claims.delete(key);
        resolve();
      },
    };
    this.#claims.set(key, held);
    return held;
  }

  async #run(): Promise<void> {
    // Whoever queued it goes on first.
    await Promise.resolve();
    for (let job = this.#next(); job; job = this.#next()) {
      try {
        if (!this.#closed) await job.build();
      } catch {
        // A build tells of its own failures.
      } finally {
        job.claim.release();
      }
    }
    this.#running = null;
  }

  #next(): Job | undefined {
    for (const lane of lanes) {
      const job = this.#waiting[lane].shift();
      if (job) return job;
    }
    return undefined;
  }
}
