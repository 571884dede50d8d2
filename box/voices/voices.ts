// Which engine and voice a turn speaks with, and on whose account.

import { builtinVoiceEngine, type Settings } from "../../contract/settings.ts";
import type { ByoEngine } from "../../contract/voices.ts";
import type { Log } from "../ops/log.ts";
import type { Portal } from "../portal/portal.ts";
import { AccountVoices, type Surroundings, type VoiceWish } from "./account-voices.ts";
import { VoiceAccounts, type KnownAccount } from "./accounts.ts";
import type { HostedEngine } from "./hosted/hosted.ts";
import { ProviderLists } from "./provider-lists.ts";
import { Troubles } from "./troubles.ts";
import type { VoiceProvider } from "./voice.ts";

export type { AccountVoices, ChosenVoice, VoiceWish } from "./account-voices.ts";

/** A first turn waits no longer than this for a list that says which voice is the usual one, and in what language. */
const listPatienceMs = 2_000;

export interface VoicesOptions {
  /** Providers that speak on somebody's account. */
  hosted: readonly HostedEngine[];
  /** The box's own keys. */
  keys: Partial<Record<ByoEngine, string | null>>;
  portal: Pick<Portal, "voiceAccount">;
  log: Log;
  /** Time for one provider's list. */
  listTimeoutMs?: number;
}

/** Hears that the box's own engine took a turn over, and why. */
export type TakeOver = (account: string, notice: string) => void;

export class Voices {
  readonly #engines: Map<string, VoiceProvider>;
  readonly #options: VoicesOptions | null;
  readonly #accounts: VoiceAccounts | null;
  readonly #surroundings: Surroundings;
  /** Set once, before the first turn. */
  onTakenOver: TakeOver = () => undefined;

  /** One of the engines must be the built-in one. */
  constructor(engines: readonly VoiceProvider[], options: VoicesOptions | null = null) {
    this.#engines = new Map(engines.map((engine) => [engine.id, engine]));
    this.#options = options;
    this.#accounts = options && new VoiceAccounts(options);
    this.#surroundings = {
      engines: this.#engines,
      hosted: new Map((options?.hosted ?? []).map((engine) => [engine.id, engine])),
      keys: options?.keys ?? {},
      lists: options && new ProviderLists({ log: options.log, timeoutMs: options.listTimeoutMs }),
      troubles: new Troubles(),
      log: options?.log ?? null,
      onTakenOver: (account, notice) => this.onTakenOver(account, notice),
    };
  }

  get builtin(): VoiceProvider {
    const engine = this.#engines.get(builtinVoiceEngine);
    if (!engine) throw new Error("The built-in voice engine is missing.");
    return engine;
  }

  /** What an account may speak with, as far as that is known now. */
  known(account: string): AccountVoices {
    const known: KnownAccount = this.#accounts?.known(account) ?? { case: "alone" };
    return new AccountVoices(account, known, this.#surroundings);
  }

  /** What an account may speak with, looked up if need be. Never rejects; resolves soon, whatever the portal does. */
  async of(
    account: string,
    { settings, wishes = [] }: { settings?: Settings; wishes?: (VoiceWish | null)[] } = {},
  ): Promise<AccountVoices> {
    const accounts = this.#accounts;
    if (!accounts) return this.known(account);
    await accounts.refresh(account);
    const known = accounts.known(account);
    // The settings are seldom older than some seconds: another engine there was chosen since.
    if (settings && known.case === "known" && known.account.engine !== settings.tts_provider)
      await accounts.refresh(account, { fresh: true });
    const own = this.known(account);
    if (settings) {
      const list = own.listWanted(settings, wishes);
      if (list) await soon(list, listPatienceMs);
    }
    return own;
  }

  /** Drops what is known of an account's keys, or of all of them. */
  forget(account?: string): void {
    this.#accounts?.forget(account);
  }

  async close(): Promise<void> {
    this.forget();
    this.#surroundings.lists?.close();
    const engines = [...this.#engines.values(), ...(this.#options?.hosted ?? [])];
    await Promise.all(engines.map((engine) => engine.close()));
  }
}

async function soon(work: Promise<unknown>, withinMs: number): Promise<void> {
  const late = Promise.withResolvers<void>();
  const timer = setTimeout(late.resolve, withinMs);
  await Promise.race([work, late.promise]);
  clearTimeout(timer);
}
