// The voice of the studio's sessions: the box's catalogue, a player of samples, and the choice.

import type { LiveWish } from "../live/live-store.ts";
import type { Client } from "../sdk/index.ts";
import { CatalogueStore } from "../voices/catalogue-store.ts";
import { VoiceChoiceStore } from "../voices/choice-store.ts";
import { PlayerStore } from "../voices/player-store.ts";
import { voicesApi } from "../voices/voices-api.ts";

export function openVoice(client: Client) {
  const choice = new VoiceChoiceStore({ onLive: (voice) => client.microphone.configure({ voice }) });
  const catalogue = new CatalogueStore({
    api: {
      catalogue: (options) => client.voices(options),
      setDefault: voicesApi.setDefault,
      forgetDefault: voicesApi.forgetDefault,
    },
    onSettings: () => undefined,
  });
  const player = new PlayerStore({
    api: {
      sample: (path, signal) => client.voiceSample(path, signal),
      speak: (line, signal) => client.previewVoice(line, signal),
    },
    speaker: new Audio(),
  });
  const unsubscribe = catalogue.subscribe(() => {
    const known = catalogue.get().catalogue;
    if (known) choice.setUsualEngine(known.current_provider);
  });
  const unlisten = client.addListener("CONNECTION_STATE", ({ state }) => {
    if (state === "closed") choice.ended();
  });
  return {
    choice,
    catalogue,
    player,
    /** What a session that begins now is to speak with. */
    wish(): Pick<LiveWish, "voice" | "voice_provider"> {
      const { picked } = choice.get();
      choice.began();
      return picked ? { voice: picked.id, voice_provider: picked.provider } : {};
    },
    dispose(): void {
      unlisten();
      unsubscribe();
      player.dispose();
    },
  };
}
