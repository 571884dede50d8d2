// The portal's vault and voice catalogue, as the page of this folder calls them.

import { builtinVoiceEngine, type VoiceEngine } from "../../contract/settings.ts";
import {
  type ByoEngine,
  type VoiceCatalogue,
  voiceCatalogueSchema,
  type VoiceSettings,
  voiceSettingsSchema,
} from "../../contract/voices.ts";
import { portal } from "../portal/portal.ts";
import { asVisavisError, errorFromResponse, VisavisError } from "../sdk/index.ts";
import { fetchPortal, type PortalRequest, requestPortal } from "../portal/request.ts";

export interface DefaultVoice {
  engine: VoiceEngine;
  voice_id: string;
  display_name: string;
}

export interface SpokenLine {
  provider: VoiceEngine;
  voice: string;
  text: string;
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
  speak(line: SpokenLine, signal: AbortSignal): Promise<Blob>;
}

/** Providers are asked in parallel, each with its own patience. */
const catalogueMs = 45_000;
/** Speaking a line may wake an engine first. */
const speechMs = 45_000;

async function vault(path: string, request: PortalRequest = {}): Promise<VoiceSettings> {
  return (await requestPortal(`/auth/voice${path}`, voiceSettingsSchema, request)).voice;
}

/** The built-in engine lives on the boxes; the portal only keeps its samples. */
async function speakOnBox(json: SpokenLine, signal: AbortSignal): Promise<Blob> {
  const { secret } = await portal.sessionCredential();
  const timeout = AbortSignal.timeout(speechMs);
  let response: Response;
  try {
    response = await fetch("/api/voice/preview", {
      method: "POST",
      headers: { "Content-Type": "application/json", "X-Api-Key": secret },
      body: JSON.stringify(json),
      signal: AbortSignal.any([signal, timeout]),
    });
  } catch (thrown) {
    throw asVisavisError(thrown);
  }
  if (response.ok) return response.blob();
  const error = await errorFromResponse(response);
  // No box runs, or the one that answered does not speak lines by itself.
  const nobody = error.code === "box_unavailable" || response.status === 404 || response.status === 405;
  if (!nobody) throw error;
  throw new VisavisError({
    code: error.code,
    message: "No box can speak this line right now. Clear it to hear the voice's own sample.",
    status: response.status,
  });
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
  speak: async (line, signal) => {
    const request = { method: "POST", json: line, signal, timeoutMs: speechMs } as const;
    try {
      return await (await fetchPortal("/auth/voices/preview", request)).blob();
    } catch (thrown) {
      const error = asVisavisError(thrown);
      if (error.code !== "voice_unavailable" || line.provider !== builtinVoiceEngine) throw error;
    }
    return speakOnBox(line, signal);
  },
};
