// Who builds what, and when: one avatar after another and beside them one clip after another, but never two builds of the
// same avatar at once.

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

/** `upload`: the avatar with its source, which nothing else of it may be under way for; `encoding`: the MP4 of its own loop. */
type Kind = "upload" | "base" | "encoding" | "tone" | "removal";

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

/** Tones are begun where no avatar is to be built, and what nobody asked for comes last. */
const lanes = ["avatars", "encodings", "tones", "idle"] as const;
type Lane = (typeof lanes)[number];

/** Somebody waits in front of the screen for an avatar: it waits for no clip but its own. */
const crews = { avatars: ["avatars"], clips: ["encodings", "tones", "idle"] } as const;
type Crew = keyof typeof crews;
const otherCrew = { avatars: "clips", clips: "avatars" } as const;

/** Uploads being checked or built; more at once would only make each later. */
const MAX_UPLOADS = 8;

export class BuildQueue {
  readonly #claims = new Map<string, Held>();
  readonly #waiting: Record<Lane, Job[]> = { avatars: [], encodings: [], tones: [], idle: [] };
  readonly #closing = Promise.withResolvers<void>();
  readonly #at = new Map<Crew, Promise<void>>();
  /** What each crew builds just now. */
  readonly #building = new Map<Crew, Held>();
  #closed = false;

  /**
   * Throws AvatarError avatar_busy while anything of the avatar is claimed but the MP4 of its loop, too_many_builds or
   * library_closed.
   */
  claimAvatar(avatar: string, { unlimited = false }: { unlimited?: boolean } = {}): Claim {
    this.#requireOpen();
    if (this.#of(avatar).some(({ kind }) => kind !== "encoding"))
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

  /** The MP4 of an avatar's own loop, claimed by whoever built that. */
  claimEncoding({ avatar }: Pick<Claim, "avatar">): Claim {
    return this.#claim(avatar, "encoding", baseTone, "encodings");
  }

  /** Whether anything of an avatar is claimed. */
  isBusy(avatar: string): boolean {
    return this.#of(avatar).length > 0;
  }

  /** Whether an upload has not got as far as a build, which is when it cannot be called off. */
  isBeingTakenIn(avatar: string): boolean {
    return this.#of(avatar).some(({ kind, queued }) => kind === "upload" && !queued);
  }

  /** Resolves when nothing is under way for an avatar. */
  async settled(avatar: string): Promise<void> {
    for (let held = this.#of(avatar); held.length > 0; held = this.#of(avatar))
      await Promise.all(held.map(({ done }) => done));
  }

  /** Resolves when the build of an avatar itself, as it is under way now, has ended. */
  async built(avatar: string): Promise<void> {
    const own = this.#of(avatar).filter(({ kind }) => kind === "upload" || kind === "base");
    await Promise.all(own.map(({ done }) => done));
  }

  /** Calls off whatever is under way for an avatar, at once where it only waits for its turn, and lets nothing new begin. */
  remove(avatar: string): Removal {
    const held = this.#of(avatar);
    this.#callOff(held);
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
    while (this.#at.size > 0) await Promise.all(this.#at.values());
  }

  /** Ends the claims that only wait for their turn, and tells the others to end. */
  #callOff(held: readonly Held[]): void {
    for (const lane of lanes) {
      const jobs = this.#waiting[lane];
      this.#waiting[lane] = jobs.filter(({ claim }) => !held.includes(claim));
      for (const { claim } of jobs) if (held.includes(claim)) claim.release();
    }
    for (const { controller } of held) controller.abort();
  }

  #requireOpen(): void {
    if (this.#closed) throw new AvatarError("library_closed", "The avatar library is closing.");
  }

  #of(avatar: string): Held[] {
    return [...this.#claims.values()].filter((claim) => claim.avatar === avatar);
  }

  #claim(avatar: string, kind: Kind, tone: Tone, lane: Lane = tone === baseTone ? "avatars" : "tones"): Held {
    const ofVariant = kind !== "removal" && kind !== "encoding";
    const key = ofVariant ? `${avatar}__${tone}` : `${avatar}__${kind}`;
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
        // What is built now has an MP4 of its own.
        if (lane === "avatars") this.#callOff(this.#of(avatar).filter((other) => other.kind === "encoding"));
        this.#waiting[lane].push({ claim: held, build });
        this.#wake();
      },
      release: () => {
        if (this.#claims.get(key) === held) this.#claims.delete(key);
        resolve();
      },
    };
    this.#claims.set(key, held);
    return held;
  }

  #wake(): void {
    for (const crew of ["avatars", "clips"] as const)
      if (!this.#at.has(crew)) this.#at.set(crew, this.#run(crew));
  }

  async #run(crew: Crew): Promise<void> {
    // Whoever queued it goes on first.
    await Promise.resolve();
    for (let job = this.#next(crew); job; job = this.#next(crew)) {
      this.#building.set(crew, job.claim);
      try {
        if (!this.#closed) await job.build();
      } catch {
        // A build tells of its own failures.
      } finally {
        this.#building.delete(crew);
        job.claim.release();
      }
      // The other crew may have waited for the end of this.
      this.#wake();
    }
    this.#at.delete(crew);
  }

  #next(crew: Crew): Job | undefined {
    const elsewhere = this.#building.get(otherCrew[crew])?.avatar;
    const avatars = this.#waiting.avatars;
    for (const lane of crews[crew]) {
      const isTone = lane === "tones" || lane === "idle";
      if (isTone && (elsewhere !== undefined || avatars.length > 0)) continue;
      const jobs = this.#waiting[lane];
      const at = jobs.findIndex(({ claim: { avatar } }) => {
        const comesFirst = crew === "clips" && avatars.some(({ claim }) => claim.avatar === avatar);
        return avatar !== elsewhere && !comesFirst;
      });
      if (at >= 0) return jobs.splice(at, 1)[0];
    }
    return undefined;
  }
}
