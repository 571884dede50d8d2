// How accounts speak, with their providers' keys: in memory only, asked for anew every minute, and gone after five.

import type { VoiceAccount } from "../../contract/internal/voices.ts";
import { describeError, type Log } from "../ops/log.ts";
import type { Portal } from "../portal/portal.ts";

/** Within this time a copy is used without asking, from half of it on while the next is fetched. */
const freshMs = 60_000;
/** While the portal does not answer, a copy is good for this long. */
const usableMs = 300_000;
/** After a failure the portal is left alone for this long. */
const restMs = 5_000;
/** A turn waits no longer than this for the portal. */
const patienceMs = 1_500;
const capacity = 1_000;
const sweepMs = 30_000;

/** `outdated`: it was to be forgotten meanwhile, and told nothing. */
type Fetched = "settled" | "outdated";

/** - `alone`: nobody keeps any. - `unknown`: the portal could not say. */
export type KnownAccount = { case: "alone" } | { case: "unknown" } | { case: "known"; account: VoiceAccount };

interface Copy {
  account: VoiceAccount | null;
  atMs: number;
}

export interface VoiceAccountsOptions {
  portal: Pick<Portal, "voiceAccount">;
  log: Log;
}

export class VoiceAccounts {
  readonly #options: VoiceAccountsOptions;
  readonly #copies = new Map<string, Copy>();
  readonly #fetching = new Map<string, Promise<Fetched>>();
  readonly #failedAtMs = new Map<string, number>();
  #sweeping: NodeJS.Timeout | undefined;

  constructor(options: VoiceAccountsOptions) {
    this.#options = options;
  }

  /** What is known of an account now. */
  known(account: string): KnownAccount {
    const copy = this.#copies.get(account);
    if (!copy || ageMs(copy) > usableMs) return { case: "unknown" };
    return copy.account ? { case: "known", account: copy.account } : { case: "alone" };
  }

  /** Copies in memory. */
  get size(): number {
    return this.#copies.size;
  }

  /** Resolves soon, with the copy of an account as fresh as can be had. `fresh`: one from before now will not do. */
  async refresh(account: string, { fresh = false }: { fresh?: boolean } = {}): Promise<void> {
    const copy = this.#copies.get(account);
    const age = copy ? ageMs(copy) : Infinity;
    if (!fresh && age < freshMs / 2) return;
    const restsMs = performance.now() - (this.#failedAtMs.get(account) ?? -Infinity);
    if (restsMs < restMs) return;
    const fetching = this.#fetching.get(account) ?? this.#fetch(account);
    if (!fresh && age < freshMs) return;
    const late = Promise.withResolvers<"late">();
    const timer = setTimeout(() => late.resolve("late"), patienceMs);
    // What was forgotten on its way is asked for once more: somebody else's key may have been revoked.
    const first = await Promise.race([fetching, late.promise]);
    if (first === "outdated")
      await Promise.race([this.#fetching.get(account) ?? this.#fetch(account), late.promise]);
    clearTimeout(timer);
  }

  /** Drops the copy of an account, or all of them. */
  forget(account?: string): void {
    if (account === undefined) {
      this.#copies.clear();
      this.#fetching.clear();
      this.#failedAtMs.clear();
    } else {
      this.#copies.delete(account);
      this.#fetching.delete(account);
      this.#failedAtMs.delete(account);
    }
    this.#sweep();
  }

  #fetch(account: string): Promise<Fetched> {
    // What was asked before it was to be forgotten is forgotten.
    const isOutdated = () => this.#fetching.get(account) !== fetched;
    const fetched: Promise<Fetched> = this.#ask(account, isOutdated).finally(() => {
      if (!isOutdated()) this.#fetching.delete(account);
    });
    this.#fetching.set(account, fetched);
    return fetched;
  }

  async #ask(account: string, isOutdated: () => boolean): Promise<Fetched> {
    try {
      const known = await this.#options.portal.voiceAccount(account);
      if (isOutdated()) return "outdated";
      this.#copies.delete(account);
      this.#copies.set(account, { account: known, atMs: performance.now() });
      this.#failedAtMs.delete(account);
      if (this.#copies.size > capacity) this.#copies.delete(this.#copies.keys().next().value ?? "");
      this.#sweeping ??= setInterval(() => this.#sweep(), sweepMs).unref();
      return "settled";
    } catch (error) {
      if (isOutdated()) return "outdated";
      if (this.#failedAtMs.size >= capacity) this.#failedAtMs.clear();
      this.#failedAtMs.set(account, performance.now());
      this.#options.log.warn(describeError(error), "a voice account could not be read from the portal");
      return "settled";
    }
  }

  /** Keys that nobody may use any more do not stay in memory. */
  #sweep(): void {
    for (const [account, copy] of this.#copies) if (ageMs(copy) > usableMs) this.#copies.delete(account);
    if (this.#copies.size > 0) return;
    clearInterval(this.#sweeping);
    this.#sweeping = undefined;
  }
}

const ageMs = ({ atMs }: Copy) => performance.now() - atMs;
