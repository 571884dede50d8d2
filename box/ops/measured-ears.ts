// Ears whose speakers, turns and failures are counted.

import type { Ears, ListenerEvent } from "../hearing/listener.ts";
import type { Metrics } from "./metrics.ts";

export function measuredEars(ears: Ears, metrics: Metrics): Ears {
  return {
    get mode() {
      return ears.mode;
    },
    state: () => ears.state(),
    async listen({ language, playback, onEvent }) {
      const count = (event: ListenerEvent) => {
        if (event.case === "speech_started") metrics.speechStarted({ over: playback?.speaking ?? false });
        else if (event.case === "turn") metrics.speechEnded(event.speechEndedAtMs);
        else if (event.case === "failed") metrics.recogniserFailed();
      };
      try {
        return await ears.listen({
          language,
          playback,
          onEvent(event) {
            // Before the avatar is silenced by it.
            count(event);
            onEvent(event);
          },
        });
      } catch (error) {
        metrics.recogniserFailed();
        throw error;
      }
    },
    close: () => ears.close(),
  };
}
