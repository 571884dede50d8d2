// The portal's vault and voice catalogue, as the page of this folder calls them.

import type { VoiceEngine } from "../../contract/settings.ts";
import {
  type ByoEngine,
  type VoiceCatalogue,
  voiceCatalogueSchema,
  type VoiceSettings,
  voiceSettingsSchema,
} from "../../contract/voices.ts";
import { fetchPortal, type PortalRequest, requestPortal } from "../portal/request.ts";

export interface DefaultVoice {
  engine: VoiceEngine;
  voice_id: string;
  display_name: string;
}

/** Every method rejects with `VisavisError`. */
export interface VoicesApi {
  settings(): Promise<VoiceSettings>;
  saveKey(provider: ByoEngine, key: string): Promise<VoiceSettings>;
  removeKey(provider: ByoEngine): Promise<VoiceSettings>;
  chooseEngine(engine: VoiceEngine): Promise<VoiceSettings>;
  setDefault(voice: DefaultVoice): Promise<VoiceSettings>;
  forgetDefault(): Promise<VoiceSettings>;
  catalogue(options: { refresh: boolean }): Promise<VoiceCatalogue>;
  /** A voice's fixed sentence; `path` is the row's `preview`. */
  sample(path: string, signal: AbortSignal): Promise<Blob>;
  /** A line of the caller's own. */
  speak(line: { provider: VoiceEngine; voice: string; text: string }, signal: AbortSignal): Promise<Blob>;
}

/** Providers are asked in parallel, each with its own patience. */
const catalogueMs = 45_000;
/** Speaking a line may wake an engine first. */
const speechMs = 45_000;

async function vault(path: string, request: PortalRequest = {}): Promise<VoiceSettings> {
  return (await requestPortal(`/auth/voice${path}`, voiceSettingsSchema, request)).voice;
}

/** The routes of the portal the page came from. */
export const voicesApi: VoicesApi = {
  settings: () => vault("/settings"),
  saveKey: (provider, key) => vault("/key", { method: "PUT", json: { provider, key }, timeoutMs: speechMs }),
  removeKey: (provider) => vault(`/key/${provider}`, { method: "DELETE" }),
  chooseEngine: (engine) => vault("/engine", { method: "PUT", json: { engine } }),
  setDefault: (json) => vault("/default", { method: "PUT", json }),
  forgetDefault: () => vault("/default", { method: "DELETE" }),
  catalogue: ({ refresh }) =>
    requestPortal(`/auth/voices${refresh ? "?refresh=1" : ""}`, voiceCatalogueSchema, {
      timeoutMs: catalogueMs,
    }),
  sample: async (path, signal) => (await fetchPortal(path, { signal, timeoutMs: speechMs })).blob(),
  speak: async (json, signal) => {
    const request = { method: "POST", json, signal, timeoutMs: speechMs } as const;
    return (await fetchPortal("/auth/voices/preview", request)).blob();
  },
};
