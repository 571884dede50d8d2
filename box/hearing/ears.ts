// The box's ears: the configured recogniser, with voice activity and end of turn around it.

import type { BoxConfig } from "../config.ts";
import { describeError, type Log } from "../ops/log.ts";
import type { EngineState } from "../voices/voice.ts";
import { AudioListener } from "./audio-listener.ts";
import type { Ears } from "./listener.ts";
import { RecognitionError, type RecogniserProvider } from "./recogniser.ts";
import { configuredRecogniser } from "./recognisers.ts";
import { VoiceActivity } from "./voice-activity.ts";

export interface EarsOptions {
  config: Pick<BoxConfig, "recogniser">;
  log: Log;
}

const notConfigured = "No speech recognition is configured.";
const notLoaded = "Speech recognition could not be loaded on this box.";

export async function openEars({ config, log }: EarsOptions): Promise<Ears> {
  try {
    const provider = await configuredRecogniser({ config, log });
    return provider ? earsOf({ provider, log }) : deafEars(notConfigured);
  } catch (error) {
    log.error(describeError(error), "the recogniser would not open");
    return deafEars(error instanceof RecognitionError ? error.message : notLoaded);
  }
}

/** Ears around a recogniser. `load` reads the network that hears whether somebody speaks. */
export function earsOf({
  provider,
  log,
  load = () => VoiceActivity.load(),
}: {
  provider: RecogniserProvider;
  log: Log;
  load?: () => Promise<Pick<VoiceActivity, "scorer" | "close">>;
}): Ears {
  let activity: EngineState = { state: "starting", detail: "Speech recognition is being loaded." };
  // Loaded ahead of the first listener, yet the box does not wait for it.
  const loading = load().then(
    (loaded) => {
      activity = { state: "ready", detail: "" };
      return loaded;
    },
    (error: unknown) => {
      log.error(describeError(error), "voice activity detection would not load");
      activity = { state: "unavailable", detail: notLoaded };
      return null;
    },
  );
  const open = new Set<AudioListener>();
  let closing: Promise<void> | null = null;

  const close = async () => {
    await Promise.all([...open].map((listener) => listener.close()));
    const loaded = await loading;
    await Promise.all([loaded?.close(), provider.close()]);
  };

  return {
    mode: provider.mode,
    state() {
      const recogniser = provider.state();
      return recogniser.state === "ready" ? activity : recogniser;
    },
    async listen({ language, playback, onEvent }) {
      const loaded = await loading;
      if (!loaded) throw new RecognitionError(notLoaded);
      if (closing) throw new RecognitionError("The box is closing.");
      const options = { provider, scorer: loaded.scorer(), language, playback, log, onEvent };
      const listener = await AudioListener.open(options).catch((error: unknown) => {
        if (error instanceof RecognitionError) throw error;
        log.error(describeError(error), "the recogniser would not start");
        throw new RecognitionError("Speech recognition would not start.");
      });
      if (closing) {
        await listener.close();
        throw new RecognitionError("The box is closing.");
      }
      open.add(listener);
      return {
        push: (samples) => listener.push(samples),
        setMuted: (muted) => listener.setMuted(muted),
        setLanguage: (next) => listener.setLanguage(next),
        close: async () => {
          await listener.close();
          open.delete(listener);
        },
      };
    },
    close: () => (closing ??= close()),
  };
}

function deafEars(detail: string): Ears {
  return {
    mode: null,
    state: () => ({ state: "unavailable", detail }),
    listen: () => Promise.reject(new RecognitionError(detail)),
    close: () => Promise.resolve(),
  };
}
