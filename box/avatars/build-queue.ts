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

interface Held extends Claim {
  readonly controller: AbortController;
  readonly done: Promise<void>;
  queued: boolean;
}

/** Uploads being checked or built; more at once would only make each later. */
const MAX_UPLOADS = 8;

export class BuildQueue {
  readonly #claims = new Map<string, Held>();
  /** Avatars come before the tones of any. */
  readonly #waiting: { base: Job[]; tones: Job[] } = { base: [], tones: [] };
  #running: Promise<void> | null = null;
  #closed = false;

  /** Throws AvatarError avatar_busy while anything of the avatar is claimed, too_many_builds or library_closed. */
  claimAvatar(avatar: string, { unlimited = false }: { unlimited?: boolean } = {}): Claim {
    this.#requireOpen();
    if (this.isBusy(avatar))
      throw new AvatarError("avatar_busy", "This avatar is being built already; wait until it is ready.");
    const uploads = [...this.#claims.values()].filter(({ tone }) => tone === baseTone).length;
    if (!unlimited && uploads >= MAX_UPLOADS) {
      throw new AvatarError("too_many_builds", "Too many avatars are being built; try again in a minute.", {
        headers: { "Retry-After": "60" },
      });
    }
    return this.#claim(avatar, baseTone);
  }

  /** Throws AvatarError clip_already_generating while exactly this variant is claimed, or library_closed. */
  claimTone(avatar: string, tone: Tone): Claim {
    this.#requireOpen();
    if (this.isBusy(avatar, tone))
      throw new AvatarError("clip_already_generating", "This clip is being built already; wait for it.");
    return this.#claim(avatar, tone);
  }

  /** Whether anything of an avatar is claimed, or the variant of one tone. */
  isBusy(avatar: string, tone?: Tone): boolean {
    return this.#of(avatar, tone).length > 0;
  }

  /** Whether a claim has not got as far as a build, which is when it cannot be called off. */
  isBeingTakenIn(avatar: string): boolean {
    return this.#of(avatar).some(({ queued }) => !queued);
  }

  /** Resolves when nothing is under way for an avatar, or for the variant of one tone. */
  async settled(avatar: string, tone?: Tone): Promise<void> {
    await Promise.all(this.#of(avatar, tone).map(({ done }) => done));
  }

  /** Calls off whatever is under way for an avatar; `settled` tells when it has ended. */
  abort(avatar: string): void {
    for (const { controller } of this.#of(avatar)) controller.abort();
  }

  get closed(): boolean {
    return this.#closed;
  }

  /** Calls off the build under way, waits for its end and skips the others, which the next start takes up. */
  async close(): Promise<void> {
    this.#closed = true;
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

  #claim(avatar: string, tone: Tone): Claim {
    const key = `${avatar}__${tone}`;
    const controller = new AbortController();
    const { promise, resolve } = Promise.withResolvers<void>();
    const release = () => {
      this.#claims.delete(key);
      resolve();
    };
    const held: Held = {
      avatar,
      tone,
      controller,
      signal: controller.signal,
      done: promise,
      queued: false,
      start: (build) => {
        held.queued = true;
        const waiting = tone === baseTone ? this.#waiting.base : this.#waiting.tones;
        waiting.push({ build, release });
        this.#running ??= this.#run();
      },
      release,
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
        job.release();
      }
    }
    this.#running = null;
  }

  #next(): Job | undefined {
    return this.#waiting.base.shift() ?? this.#waiting.tones.shift();
  }
}

interface Job {
  build(): Promise<void>;
  release(): void;
}
