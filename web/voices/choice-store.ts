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
  /** The engine of the usual voice, as far as the catalogue has told. */
  usual: VoiceEngine | null;
}

type Kept = Pick<Storage, "getItem" | "setItem" | "removeItem">;
const key = "visavis.voice";

function kept(storage: Kept): PickedVoice | null {
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

/** The row a session speaks with, where the catalogue has it. */
export function spokenRow(catalogue: VoiceCatalogue, picked: PickedVoice | null): VoiceRow | null {
  const wanted = picked ?? { provider: catalogue.current_provider, id: catalogue.current };
  return catalogue.voices.find((row) => row.provider === wanted.provider && row.id === wanted.id) ?? null;
}

export class VoiceChoiceStore extends Store<ChoiceState> {
  readonly #storage: Kept;
  /** A live session hears of another voice of its own engine at once. */
  readonly #onLive: (voice: string) => void;

  constructor({ storage = localStorage, onLive }: { storage?: Kept; onLive(voice: string): void }) {
    super({ picked: kept(storage), live: null, onAir: false, usual: null });
    this.#storage = storage;
    this.#onLive = onLive;
  }

  readonly pick = ({ provider, id, name }: PickedVoice): void => {
    const picked = { provider, id, name };
    this.#storage.setItem(key, JSON.stringify(picked));
    this.update({ picked });
    const spoken = this.liveVoice();
    if (spoken !== null) this.#onLive(spoken);
  };

  /** Back to the usual voice. */
  readonly forget = (): void => {
    this.#storage.removeItem(key);
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

  readonly setUsualEngine = (usual: VoiceEngine): void => {
    if (usual !== this.get().usual) this.update({ usual });
  };

  /** What turns of the live session are to be spoken with; null where they need no word of it. */
  readonly liveVoice = (): string | null => {
    const { picked, onAir } = this.get();
    return onAir && picked && picked.provider === this.#liveEngine() ? picked.id : null;
  };

  /** The pick is of another engine than the session's, and waits for the next one. */
  readonly waits = (): boolean => {
    const { picked, onAir } = this.get();
    return onAir && picked !== null && picked.provider !== this.#liveEngine();
  };

  #liveEngine(): VoiceEngine | null {
    const { live, usual } = this.get();
    return live?.provider ?? usual;
  }
}
