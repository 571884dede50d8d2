import { effortLevels, reasoningLevels, type ModelRow } from "../../contract/models.ts";
import {
  defaultSettings,
  type Settings,
  type SettingsPatch,
  type SettingsRead,
} from "../../contract/settings.ts";
import { Refusal } from "../failure.ts";
import type { Portal, SettingsSaved } from "./portal.ts";

const capacity = 1_000;
const builtinOnly: SettingsRead["tts_providers"] = [
  { id: "local", label: "Built-in voice", local: true, byo: false, cloning: false, available: true },
];

/** A box alone: settings last as long as the process, and there is nobody to report to. */
export class StandalonePortal implements Portal {
  readonly #models: ModelRow[];
  readonly #ttsProviders: SettingsRead["tts_providers"];
  readonly #settings = new Map<string, Settings>();

  constructor(models: ModelRow[], ttsProviders: SettingsRead["tts_providers"] = builtinOnly) {
    this.#models = models;
    this.#ttsProviders = ttsProviders;
  }

  settings(account: string): Promise<SettingsRead> {
    return Promise.resolve(settingsRead(this.#of(account), this.#models, false, this.#ttsProviders));
  }

  saveSettings(account: string, patch: SettingsPatch): Promise<SettingsSaved> {
    for (const id of [patch.model, patch.live_model]) {
      if (id === undefined) continue;
      const row = this.#models.find((model) => model.id === id);
      if (!row)
        return Promise.resolve({ ok: false, message: `The model ${JSON.stringify(id)} does not exist.` });
      if (!row.selectable)
        return Promise.resolve({
          ok: false,
          message: `This deployment sends no data to ${JSON.stringify(id)}.`,
        });
    }
    const merged: Settings = { ...this.#of(account), ...definedOnly(patch) };
    const settings = { ...merged, provider: this.#provider(merged.model) };
    this.#settings.delete(account);
    this.#settings.set(account, settings);
    if (this.#settings.size > capacity) this.#settings.delete(this.#settings.keys().next().value ?? "");
    return Promise.resolve({ ok: true, saved: false, settings });
  }

  reportAvatar(): void {}

  reportSession(): void {}

  reportTranscript(): void {}

  reportClip(): void {}

  reportUsage(): void {}

  reported(): Promise<void> {
    return Promise.resolve();
  }

  sessionKept(): boolean {
    return false;
  }

  synced(): Promise<boolean> {
    return Promise.resolve(true);
  }

  voiceAccount(): Promise<null> {
    return Promise.resolve(null);
  }

  claimUpload(): Promise<never> {
    return Promise.reject(
      new Refusal("uploads_unavailable", "This box has no storage to fetch an upload from."),
    );
  }

  checkConsent({ token }: { token: string }): Promise<boolean> {
    return Promise.resolve(token.trim() !== "");
  }

  recordingTerms(): Promise<null> {
    return Promise.resolve(null);
  }

  grantRecording(): Promise<never> {
    return Promise.reject(new Error("A box alone has no storage."));
  }

  closeRecording(): Promise<never> {
    return Promise.reject(new Error("A box alone has no storage."));
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  #of(account: string): Settings {
    return this.#settings.get(account) ?? defaultSettings(this.#models);
  }

  #provider(model: string): string {
    return this.#models.find((row) => row.id === model)?.provider ?? "";
  }
}

/** A settings record as every read answers it. */
export function settingsRead(
  settings: Settings,
  models: ModelRow[],
  persisted: boolean,
  ttsProviders: SettingsRead["tts_providers"] = builtinOnly,
): SettingsRead {
  return {
    settings,
    models,
    effort_levels: [...effortLevels],
    reasoning_levels: [...reasoningLevels],
    tts_providers: ttsProviders,
    persisted,
  };
}

function definedOnly(patch: SettingsPatch): Partial<Settings> {
  return Object.fromEntries(Object.entries(patch).filter(([, value]) => value !== undefined));
}
