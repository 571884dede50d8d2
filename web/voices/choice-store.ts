// The voice that this person's sessions speak with, as picked in the studio; none means the usual one.

import { voiceEngineSchema, type VoiceEngine } from "../../contract/settings.ts";
import type { VoiceCatalogue, VoiceRow } from "../../contract/voices.ts";
import { Store } from "../ui/store.ts";
import { rowKey } from "./catalogue-store.ts";

export interface PickedVoice {
  provider: VoiceEngine;
  id: string;
  name: string;
}

export interface ChoiceState {
  picked: PickedVoice | null;
  /** What the session that is live now began with; null off air, or when it began with the usual voice. */
  live: PickedVoice | null;
  onAir: boolean;
  /** The usual voice, as far as the catalogue has told; its id is null where its engine has none to offer. */
  usual: UsualVoice | null;
}

export interface UsualVoice {
  provider: VoiceEngine;
  id: string | null;
}

type Kept = Pick<Storage, "getItem" | "setItem" | "removeItem">;

/** Voices belong to accounts: who signs in next in this browser has others. */
const keyOf = (account: string): string => `visavis.voice/${account}`;

function kept(storage: Kept, key: string): PickedVoice | null {
  try {
    const value: unknown = JSON.parse(storage.getItem(key) ?? "null");
    if (typeof value !== "object" || value === null) return null;
    const { provider, id, name } = value as Record<string, unknown>;
    const engine = voiceEngineSchema.safeParse(provider);
    return engine.success && typeof id === "string" && typeof name === "string"
      ? { provider: engine.data, id, name }
      : null;
  } catch {
    return null;
  }
}

/** The row of the usual voice, where the catalogue has it. */
export function usualRow({ voices }: VoiceCatalogue, usual: UsualVoice | null): VoiceRow | null {
  return voices.find((row) => row.provider === usual?.provider && row.id === usual.id) ?? null;
}

export interface ChoiceOptions {
  /** Whose pick it is. */
  account: string;
  storage?: Kept;
  /** A live session hears of another voice of its own engine at once. */
  onLive(voice: string): void;
}

export class VoiceChoiceStore extends Store<ChoiceState> {
  readonly #storage: Kept;
  readonly #key: string;
  readonly #onLive: ChoiceOptions["onLive"];

  constructor({ account, storage = localStorage, onLive }: ChoiceOptions) {
    const key = keyOf(account);
    super({ picked: kept(storage, key), live: null, onAir: false, usual: null });
    this.#storage = storage;
    this.#key = key;
    this.#onLive = onLive;
  }

  readonly pick = ({ provider, id, name }: PickedVoice): void => {
    const picked = { provider, id, name };
    this.#storage.setItem(this.#key, JSON.stringify(picked));
    this.update({ picked });
    const spoken = this.liveVoice();
    if (spoken !== null) this.#onLive(spoken);
  };

  /** Back to the usual voice. */
  readonly forget = (): void => {
    this.#storage.removeItem(this.#key);
    this.update({ picked: null });
    if (this.get().onAir) this.#onLive("");
  };

  readonly isPicked = (row: Pick<VoiceRow, "provider" | "id">): boolean => {
    const { picked } = this.get();
    return picked !== null && rowKey(picked) === rowKey(row);
  };

  /** A session begins with what is picked now. */
  readonly began = (): void => this.update({ live: this.get().picked, onAir: true });

  readonly ended = (): void => this.update({ live: null, onAir: false });

  /** While a session speaks with a pick, that is the voice the catalogue calls the current one. */
  readonly usualShows = (): boolean => this.get().live === null;

  readonly setUsual = (usual: UsualVoice): void => this.update({ usual });

  /** What turns of the live session are to be spoken with; null where they need no word of it. */
  readonly liveVoice = (): string | null => {
    const { picked, onAir } = this.get();
    return onAir && picked && picked.provider === this.#liveEngine() ? picked.id : null;
  };

  /** What is chosen waits for the next session: a voice of another engine, or the usual one after a pick. */
  readonly waits = (): boolean => {
    const { picked, live, onAir } = this.get();
    if (!onAir) return false;
    return picked === null ? live !== null : picked.provider !== this.#liveEngine();
  };

  #liveEngine(): VoiceEngine | null {
    const { live, usual } = this.get();
    return (live ?? usual)?.provider ?? null;
  }
}
