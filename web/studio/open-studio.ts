// What a studio consists of, apart from how it looks; it outlives the page that shows it.

import { FacesStore } from "../faces/faces-store.ts";
import { UploadStore } from "../faces/upload-store.ts";
import { LiveStore } from "../live/live-store.ts";
import { MicrophoneStore } from "../live/microphone-store.ts";
import { RecordingStore } from "../live/recording-store.ts";
import { SpokenFileStore } from "../live/spoken-file-store.ts";
import { portraitsApi } from "../portraits/portraits-api.ts";
import { portal } from "../portal/portal.ts";
import { createClient } from "../sdk/index.ts";
import { openVoice } from "./open-voice.ts";

/** `account`: who is signed in. */
export function openStudio(account: string) {
  const client = createClient({ getCredential: () => portal.sessionCredential() });
  const faces = new FacesStore(client);
  const recording = new RecordingStore();
  const voice = openVoice(client, account);
  const live = new LiveStore(client, {
    liveVoice: voice.choice.liveVoice,
    onRefused: recording.refused,
    onVoiceRefused: voice.refused,
  });
  const microphone = new MicrophoneStore(client, { liveVoice: voice.choice.liveVoice });
  const spokenFile = new SpokenFileStore(client);
  const upload = new UploadStore({
    client,
    attest: portraitsApi.attest,
    onAccepted: faces.watch,
    onReady: faces.select,
    onRetried: () => void faces.refresh(),
  });
  return {
    client,
    faces,
    live,
    recording,
    voice,
    microphone,
    spokenFile,
    upload,
    /** Ends the session. */
    end: (): Promise<void> => client.disconnect(),
    /** Frees what is left once nobody looks any more. */
    free(): void {
      voice.dispose();
      spokenFile.cancel();
      microphone.dispose();
      live.dispose();
      faces.dispose();
    },
  };
}

export type StudioParts = ReturnType<typeof openStudio>;
