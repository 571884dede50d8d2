// The vault: which engine speaks, and the provider keys. A key passes through; nothing here keeps one.

import type { VoiceEngine } from "../../contract/settings.ts";
import type { ByoEngine, VoiceSettings } from "../../contract/voices.ts";
import { asVisavisError, type VisavisError } from "../sdk/index.ts";
import { Store } from "../ui/store.ts";
import type { VoicesApi } from "./voices-api.ts";

export interface KeyForm {
  step: "idle" | "saving" | "removing";
  /** Belongs at the field. */
  problem: string | null;
}

export interface VaultState {
  status: "loading" | "ready" | "error";
  error: VisavisError | null;
  settings: VoiceSettings | null;
  keys: Readonly<Record<ByoEngine, KeyForm>>;
  /** The engine being switched to. */
  choosing: VoiceEngine | null;
  engineProblem: { engine: VoiceEngine; keyRequired: boolean; message: string } | null;
}

const idle: KeyForm = { step: "idle", problem: null };

export interface VaultOptions {
  api: Pick<VoicesApi, "settings" | "saveKey" | "removeKey" | "chooseEngine">;
  /** Which voices can be had may be different now. */
  onVoicesChanged(): void;
}

export class VaultStore extends Store<VaultState> {
  readonly #options: VaultOptions;

  constructor(options: VaultOptions) {
    super({
      status: "loading",
      error: null,
      settings: null,
      keys: { cartesia: idle, elevenlabs: idle },
      choosing: null,
      engineProblem: null,
    });
    this.#options = options;
  }

  readonly load = async (): Promise<void> => {
    try {
      this.adopt(await this.#options.api.settings());
    } catch (thrown) {
      if (!this.get().settings) this.update({ status: "error", error: asVisavisError(thrown) });
    }
  };

  /** Takes over the settings that every route of the vault answers. */
  readonly adopt = (settings: VoiceSettings): void => this.update({ status: "ready", error: null, settings });

  /** Resolves with whether the key was kept, so that the form can forget what was typed. */
  readonly saveKey = async (provider: ByoEngine, typed: string): Promise<boolean> => {
    const key = typed.trim();
    if (key === "") {
      this.#form(provider, { step: "idle", problem: "Paste the key first." });
      return false;
    }
    return this.#changeKey(provider, "saving", () => this.#options.api.saveKey(provider, key));
  };

  readonly removeKey = (provider: ByoEngine): Promise<boolean> =>
    this.#changeKey(provider, "removing", () => this.#options.api.removeKey(provider));

  readonly chooseEngine = async (engine: VoiceEngine): Promise<void> => {
    const before = this.get().settings;
    if (!before || before.engine === engine || this.get().choosing) return;
    this.update({ settings: { ...before, engine }, choosing: engine, engineProblem: null });
    try {
      this.adopt(await this.#options.api.chooseEngine(engine));
      this.#options.onVoicesChanged();
    } catch (thrown) {
      const { code, message } = asVisavisError(thrown);
      this.update({
        settings: before,
        engineProblem: { engine, keyRequired: code === "voice_key_required", message },
      });
    } finally {
      this.update({ choosing: null });
    }
  };

  async #changeKey(
    provider: ByoEngine,
    step: KeyForm["step"],
    change: () => Promise<VoiceSettings>,
  ): Promise<boolean> {
    if (this.get().keys[provider].step !== "idle") return false;
    this.#form(provider, { step, problem: null });
    try {
      this.adopt(await change());
      this.#form(provider, idle);
      this.update({ engineProblem: null });
      this.#options.onVoicesChanged();
      return true;
    } catch (thrown) {
      this.#form(provider, { step: "idle", problem: asVisavisError(thrown).message });
      return false;
    }
  }

  #form(provider: ByoEngine, form: KeyForm): void {
    this.update({ keys: { ...this.get().keys, [provider]: form } });
  }
}
