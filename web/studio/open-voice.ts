// The voice of the studio's sessions: the box's catalogue, a player of samples, and the choice.

import type { LiveWish } from "../live/live-store.ts";
import type { Client } from "../sdk/index.ts";
import { CatalogueStore } from "../voices/catalogue-store.ts";
import { VoiceChoiceStore } from "../voices/choice-store.ts";
import { PlayerStore } from "../voices/player-store.ts";
import { voicesApi } from "../voices/voices-api.ts";

export function openVoice(client: Client, account: string) {
  const choice = new VoiceChoiceStore({
    account,
    onLive: (voice) => client.microphone.configure({ voice }),
  });
  const catalogue = new CatalogueStore({
    api: {
      catalogue: async (options) => {
        const asked = choice.usualShows();
        const known = await client.voices(options);
        // A session may have begun or ended while the answer was on its way.
        if (asked && choice.usualShows())
          choice.setUsual({ provider: known.current_provider, id: known.current });
        return known;
      },
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
    /** The box refused the pick, and the session began without it. Returns what to tell. */
    refused(): string {
      const name = choice.get().picked?.name ?? "The voice you picked";
      choice.forget();
      choice.began();
      return `${name} cannot be had any more. The usual voice speaks instead.`;
    },
    dispose(): void {
      unlisten();
      player.dispose();
    },
  };
}
