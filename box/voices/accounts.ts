// How accounts speak, with their providers' keys: in memory only, and only for a minute.

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
  readonly #fetching = new Map<string, Promise<void>>();
  readonly #failedAtMs = new Map<string, number>();
  #epoch = 0;

  constructor(options: VoiceAccountsOptions) {
    this.#options = options;
  }

  /** What is known of an account now. */
  known(account: string): KnownAccount {
    const copy = this.#copies.get(account);
    if (!copy || ageMs(copy) > usableMs) return { case: "unknown" };
    return copy.account ? { case: "known", account: copy.account } : { case: "alone" };
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
    const late = Promise.withResolvers<void>();
    const timer = setTimeout(late.resolve, patienceMs);
    await Promise.race([fetching, late.promise]);
    clearTimeout(timer);
  }

  /** Drops the copy of an account, or all of them. */
  forget(account?: string): void {
    this.#epoch++;
    if (account === undefined) this.#copies.clear();
    else this.#copies.delete(account);
    this.#fetching.clear();
    this.#failedAtMs.clear();
  }

  #fetch(account: string): Promise<void> {
    const fetched = this.#ask(account).finally(() => {
      if (this.#fetching.get(account) === fetched) this.#fetching.delete(account);
    });
    this.#fetching.set(account, fetched);
    return fetched;
  }

  async #ask(account: string): Promise<void> {
    const epoch = this.#epoch;
    try {
      const known = await this.#options.portal.voiceAccount(account);
      // What was asked before it was to be forgotten is forgotten.
      if (epoch !== this.#epoch) return;
      this.#copies.delete(account);
      this.#copies.set(account, { account: known, atMs: performance.now() });
      this.#failedAtMs.delete(account);
      if (this.#copies.size > capacity) this.#copies.delete(this.#copies.keys().next().value ?? "");
    } catch (error) {
      if (epoch !== this.#epoch) return;
      if (this.#failedAtMs.size >= capacity) this.#failedAtMs.clear();
      this.#failedAtMs.set(account, performance.now());
      this.#options.log.warn(describeError(error), "a voice account could not be read from the portal");
    }
  }
}

const ageMs = ({ atMs }: Copy) => performance.now() - atMs;
