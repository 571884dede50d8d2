// The engines that a configuration asks for.

import { join } from "node:path";
import type { SettingsRead } from "../../contract/settings.ts";
import { byoEngines, voiceEngineLabels } from "../../contract/voices.ts";
import type { BoxConfig } from "../config.ts";
import type { Log } from "../ops/log.ts";
import type { Portal } from "../portal/portal.ts";
import { EspeakVoice } from "./espeak.ts";
import { Cartesia } from "./hosted/cartesia.ts";
import { ElevenLabs } from "./hosted/elevenlabs.ts";
import { SpeechServerVoice } from "./speech-server/speech-server.ts";
import type { VoiceProvider } from "./voice.ts";
import { Voices } from "./voices.ts";

/** The engine under the name `local`. Never rejects: its state says what is amiss. */
export function openBuiltinVoice({
  speechServer,
  stateDir,
}: Pick<BoxConfig, "speechServer" | "stateDir">): Promise<VoiceProvider> {
  return speechServer
    ? SpeechServerVoice.open({ ...speechServer, clonesPath: join(stateDir, "voice-clones.json") })
    : EspeakVoice.open();
}

export interface OpenVoicesOptions {
  config: Pick<BoxConfig, "cartesia" | "elevenlabs">;
  engines: readonly VoiceProvider[];
  portal: Pick<Portal, "voiceAccount">;
  log: Log;
}

export function openVoices({ config, engines, portal, log }: OpenVoicesOptions): Voices {
  const { cartesia, elevenlabs } = config;
  return new Voices(engines, {
    hosted: [new Cartesia({ url: cartesia.url }), new ElevenLabs({ url: elevenlabs.url })],
    keys: { cartesia: cartesia.apiKey, elevenlabs: elevenlabs.apiKey },
    portal,
    log,
  });
}

/** The engines as the settings show them on a box alone. */
export function ttsProviders(
  config: Pick<BoxConfig, "cartesia" | "elevenlabs" | "speechServer" | "portal">,
): SettingsRead["tts_providers"] {
  const byo = config.portal !== null;
  return [
    {
      id: "local",
      label: config.speechServer ? "Speech server" : voiceEngineLabels.local,
      local: true,
      byo: false,
      cloning: config.speechServer !== null,
      available: true,
    },
    ...byoEngines.map((id) => ({
      id,
      label: voiceEngineLabels[id],
      local: false,
      byo,
      cloning: false,
      available: byo || config[id].apiKey !== null,
    })),
  ];
}
