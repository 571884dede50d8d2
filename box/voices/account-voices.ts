// What one account may speak with: the resolution of engine, account and voice.

import {
  builtinVoiceEngine,
  voiceEngines,
  type Settings,
  type VoiceEngine,
} from "../../contract/settings.ts";
import type { Language } from "../../contract/tones.ts";
import { isByoEngine, voiceEngineLabels, type ByoEngine } from "../../contract/voices.ts";
import { Refusal } from "../failure.ts";
import { describeError, type Log } from "../ops/log.ts";
import type { KnownAccount } from "./accounts.ts";
import type { VoiceFault } from "./failure.ts";
import type { HostedEngine } from "./hosted/hosted.ts";
import type { ProviderLists } from "./provider-lists.ts";
import type { Troubles } from "./troubles.ts";
import { boundLanguage, TurnVoice } from "./turn-voice.ts";
import type { VoiceListing, VoiceProvider } from "./voice.ts";

export interface ChosenVoice {
  engine: VoiceProvider;
  voice: string;
  /**
   * Non-empty exactly when the box's own engine speaks instead of the account that was chosen: from the beginning, or
   * from when that account turned out not to.
   */
  readonly notice: string;
  /** Whose account it is. */
  readonly origin: "box" | "user";
}

export interface VoiceWish {
  voice?: string | undefined;
  voiceProvider?: string | undefined;
}

export interface Surroundings {
  engines: ReadonlyMap<string, VoiceProvider>;
  hosted: ReadonlyMap<string, HostedEngine>;
  keys: Partial<Record<ByoEngine, string | null>>;
  lists: ProviderLists | null;
  troubles: Troubles;
  log: Log | null;
  onTakenOver(account: string, notice: string): void;
}

/** A key to speak with, and whose it is. */
export interface ProviderAccount {
  hosted: HostedEngine;
  key: string;
  origin: "box" | "user";
}

type Access = { case: "usable"; account: ProviderAccount } | { case: "unusable"; why: string };

const troubleSentences: Partial<Record<VoiceFault, (label: string, whose: string) => string>> = {
  key: (label, whose) => `${label} does not accept ${whose} key.`,
  credit: (label, whose) => `${label} has no credit or permission left on ${whose} account.`,
};

export class AccountVoices {
  readonly account: string;
  readonly #known: KnownAccount;
  readonly #around: Surroundings;

  constructor(account: string, known: KnownAccount, surroundings: Surroundings) {
    this.account = account;
    this.#known = known;
    this.#around = surroundings;
  }

  get builtin(): VoiceProvider {
    const engine = this.#around.engines.get(builtinVoiceEngine);
    if (!engine) throw new Error("The built-in voice engine is missing.");
    return engine;
  }

  /** The engine of a session that picks none: the one of the portal's voices page. */
  chosenEngine(settings: Settings): VoiceEngine {
    return this.#known.case === "known" ? this.#known.account.engine : settings.tts_provider;
  }

  /** The engine that a session's next reply asks, as far as its account can be used; else the box's own. */
  engineInUse(settings: Settings, session: VoiceWish | null): VoiceEngine {
    const id = voiceEngines.find((known) => known === session?.voiceProvider) ?? this.chosenEngine(settings);
    return isByoEngine(id) && this.access(id).case === "unusable" ? builtinVoiceEngine : id;
  }

  /** The voice that was made the default on the portal's voices page for its engine. */
  portalDefault(): { provider: VoiceEngine; id: string } | null {
    if (this.#known.case !== "known" || this.#known.account.default_voice === null) return null;
    return { provider: this.#known.account.engine, id: this.#known.account.default_voice };
  }

  /**
   * The account that a provider's voices speak on for this caller; or why there is none. `untroubled`: also one that
   * turned out not to speak a while ago.
   */
  access(provider: ByoEngine, { untroubled = false }: { untroubled?: boolean } = {}): Access {
    const { hosted: engines, keys, troubles } = this.#around;
    const label = voiceEngineLabels[provider];
    const hosted = engines.get(provider);
    if (!hosted) return { case: "unusable", why: `${label} is not set up on this box.` };
    const known = this.#known;
    const unreadable = known.case === "known" && known.account.unreadable.includes(provider);
    if (unreadable) return { case: "unusable", why: `The saved ${label} key cannot be read.` };
    const own =
      known.case === "known"
        ? known.account.keys.find((saved) => saved.provider === provider)?.key
        : undefined;
    const key = own ?? keys[provider] ?? null;
    // Who may have a key of their own is not billed to somebody else's because it could not be looked up.
    if (known.case === "unknown")
      return { case: "unusable", why: `The saved ${label} key could not be looked up just now.` };
    if (key === null)
      return {
        case: "unusable",
        why: known.case === "known" ? `No ${label} key is saved.` : `${label} is not set up on this box.`,
      };
    const trouble = untroubled ? null : troubles.of(provider, key);
    const sentence = trouble && troubleSentences[trouble];
    if (sentence) return { case: "unusable", why: sentence(label, own === undefined ? "the box's" : "your") };
    return { case: "usable", account: { hosted, key, origin: own === undefined ? "box" : "user" } };
  }

  /** A provider's voices on this caller's account; asked for anew, its account gets another chance too. Never rejects. */
  async listing(provider: ByoEngine, refresh: boolean): Promise<VoiceListing> {
    const { lists, troubles } = this.#around;
    const access = this.access(provider, { untroubled: true });
    if (access.case === "unusable" || !lists) {
      const why = access.case === "unusable" ? access.why : "";
      return { state: "key_problem", reason: why, voices: [] };
    }
    const { hosted, key } = access.account;
    const listing = await lists.get(hosted, key, { refresh });
    if (refresh && listing.state === "ready") troubles.forget(provider, key);
    return listing;
  }

  /** The list that the next choice depends on, where it is not at hand; null when it depends on none. */
  listWanted(settings: Settings, wishes: readonly (VoiceWish | null)[]): Promise<unknown> | null {
    const wished = wishes.find((wish) => wish?.voiceProvider)?.voiceProvider;
    const provider = voiceEngines.find((id) => id === wished) ?? this.chosenEngine(settings);
    if (!isByoEngine(provider)) return null;
    const access = this.access(provider);
    const { lists } = this.#around;
    if (access.case === "unusable" || !lists) return null;
    const { hosted, key } = access.account;
    if (lists.known(hosted, key)) return null;
    const list = lists.get(hosted, key);
    const named = [...wishes.map((wish) => wish?.voice), ...this.#slots(provider, settings)];
    // What language a voice of theirs speaks, only the list tells.
    const enough = provider !== "cartesia" && named.some((voice) => voice && hosted.looksLike(voice));
    return enough ? null : list;
  }

  /**
   * The first that is set: the turn's wish, the session's (its picker), the engine and voice of the portal's voices page,
   * the settings, the avatar's own voice. An engine whose account cannot be used is stood in for by the box's own.
   * `language`: the one that somebody asked for in the call. It turns every voice but the turn's own wish to the same
   * character in that language.
   * Throws Refusal: `invalid_body` for a voice the engine does not have, `voice_unavailable` when it is down.
   */
  choose(
    wish: VoiceWish,
    session: VoiceWish | null,
    settings: Settings,
    avatar: string | null,
    language?: Language,
  ): ChosenVoice {
    const wanted = wish.voiceProvider?.trim() || session?.voiceProvider?.trim() || undefined;
    const named = voiceEngines.find((id) => id === wanted);
    if (wanted !== undefined && named === undefined)
      throw new Refusal(
        "invalid_body",
        `voice_provider: this box has no voice engine ${JSON.stringify(wanted)}.`,
      );
    const id = named ?? this.chosenEngine(settings);
    const asked = wish.voice?.trim() || undefined;
    const picks = { asked, session: session?.voice?.trim() || undefined, settings, avatar, language };
    if (!isByoEngine(id)) return this.#withBuiltin(picks, "", () => false);
    const access = this.access(id);
    if (access.case === "usable") return this.#withProvider(picks, access.account);
    const hosted = this.#around.hosted.get(id);
    const notice = `${access.why} The box's own voice speaks instead.`;
    const meant = { ...picks, language: language ?? this.#languageMeant(id, picks) };
    return this.#withBuiltin(meant, notice, (voice) => hosted?.looksLike(voice) ?? false);
  }

  /** The call language that a voice speaks; null where it is not bound to one. */
  languageOf({ engine, voice }: Pick<ChosenVoice, "engine" | "voice">): Language | null {
    return engine.languageOf?.(voice) ?? null;
  }

  /** `standsInFor`: voices of the engine that cannot be used, which are nobody's mistake. */
  #withBuiltin(picks: Picks, notice: string, standsInFor: (voice: string) => boolean): ChosenVoice {
    const engine = this.builtin;
    const asked = picks.asked !== undefined && standsInFor(picks.asked) ? undefined : picks.asked;
    const { state, detail } = engine.state();
    if (asked !== undefined && state === "ready" && !this.#may(engine, asked))
      throw notOfEngine(asked, engine.id);
    if (state !== "ready")
      throw new Refusal("voice_unavailable", `Text-to-speech is not configured: ${detail}`);
    return { engine, voice: this.#pick(engine, { ...picks, asked }), notice, origin: "box" };
  }

  #withProvider(picks: Picks, { hosted, key, origin }: ProviderAccount): ChosenVoice {
    const { lists, troubles, log } = this.#around;
    const own = origin === "user";
    const engine = new TurnVoice({
      hosted,
      key,
      language: picks.language ?? null,
      listing: () => lists?.known(hosted, key) ?? null,
      fallback: (spoken) => this.#fallback(picks, spoken),
      onTrouble: (failure) => {
        troubles.note(hosted.id, key, failure.fault);
        log?.warn(
          { provider: hosted.id, fault: failure.fault, ...describeError(failure) },
          "a voice account failed",
        );
        const sentence = troubleSentences[failure.fault]?.(hosted.label, own ? "your" : "the box's");
        return `${sentence ?? failure.message} The box's own voice speaks instead.`;
      },
      onTakenOver: (notice) => this.#around.onTakenOver(this.account, notice),
    });
    if (picks.asked !== undefined && !engine.has(picks.asked)) throw notOfEngine(picks.asked, engine.id);
    return {
      engine,
      voice: this.#pick(engine, picks),
      get notice() {
        return engine.notice;
      },
      get origin() {
        return engine.notice === "" ? origin : "box";
      },
    };
  }

  /** Who speaks when a provider's account turns out not to; `spoken`: the language that its voice would have spoken. */
  #fallback(picks: Picks, spoken: Language | null): { engine: VoiceProvider; voice: string } | null {
    const engine = this.builtin;
    if (engine.state().state !== "ready") return null;
    const language = picks.language ?? spoken ?? undefined;
    const slots = this.#slots(builtinVoiceEngine, picks.settings);
    const saved = slots.find((voice) => voice && this.#may(engine, voice));
    const turned = saved && language ? engine.inLanguage?.(saved, language) : undefined;
    const voice = turned ?? saved ?? engine.defaultVoice(picks.avatar, language);
    return voice ? { engine, voice } : null;
  }

  /** The language of the voice that a provider would speak with if its account could be used, where that is known. */
  #languageMeant(provider: ByoEngine, picks: Picks): Language | undefined {
    const access = this.access(provider, { untroubled: true });
    if (access.case === "unusable") return undefined;
    const { hosted, key } = access.account;
    const listing = this.#around.lists?.known(hosted, key) ?? null;
    const named = [picks.asked, picks.session, ...this.#slots(provider, picks.settings)];
    const voice = named.find((id) => listing?.voices.some((row) => row.id === id));
    return (voice && boundLanguage(hosted, listing, voice)) || undefined;
  }

  #pick(engine: VoiceProvider, { asked, session, settings, avatar, language }: Picks): string {
    const slots = [session, ...this.#slots(engine.id, settings)];
    const picked = slots.find((id) => id && this.#may(engine, id));
    const turned = picked && language ? engine.inLanguage?.(picked, language) : undefined;
    const voice = asked ?? turned ?? picked ?? engine.defaultVoice(avatar, language);
    if (!voice)
      throw new Refusal(
        "invalid_body",
        `voice: choose one; the engine ${engine.id} has no default voice on this account.`,
      );
    return voice;
  }

  #may(engine: VoiceProvider, voice: string): boolean {
    return engine.has(voice) && (engine.mayUse?.(voice, this.account) ?? true);
  }

  #slots(engine: VoiceEngine, settings: Settings): (string | null | undefined)[] {
    const chosen = this.portalDefault();
    return [chosen?.provider === engine ? chosen.id : null, settings[voiceSlot(engine)]];
  }
}

interface Picks {
  asked: string | undefined;
  session: string | undefined;
  settings: Settings;
  avatar: string | null;
  language: Language | undefined;
}

const notOfEngine = (voice: string, engine: VoiceEngine) =>
  new Refusal(
    "invalid_body",
    `voice: ${JSON.stringify(voice)} is no voice of the engine ${engine}; send voice_provider beside voice.`,
  );

function voiceSlot(engine: VoiceEngine): "voice_id" | "voice_id_local" | "voice_id_cartesia" {
  return engine === "elevenlabs" ? "voice_id" : `voice_id_${engine}`;
}
