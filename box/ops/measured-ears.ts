// Ears whose barge-ins and failures are counted.

import type { Ears, ListenerEvent } from "../hearing/listener.ts";
import { listenWithinMs } from "../sockets/microphone-socket.ts";
import type { Metrics } from "./metrics.ts";

export function measuredEars(ears: Ears, metrics: Metrics): Ears {
  let closing = false;

  /** Counts a start that fails, or that nobody waits for any longer, once. */
  const watchStart = (): { failed(): void; over(): void } => {
    let counted = false;
    const failed = () => {
      // What ends with the box has not failed.
      if (!counted && !closing) metrics.recogniserFailed();
      counted = true;
    };
    const late = setTimeout(failed, listenWithinMs).unref();
    return { failed, over: () => clearTimeout(late) };
  };

  return {
    get mode() {
      return ears.mode;
    },
    state: () => ears.state(),
    async listen({ language, playback, onEvent }) {
      const count = (event: ListenerEvent) => {
        if (event.case === "speech_started" && playback?.speaking) metrics.bargedIn();
        else if (event.case === "failed" && !closing) metrics.recogniserFailed();
      };
      const start = watchStart();
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
        start.failed();
        throw error;
      } finally {
        start.over();
      }
    },
    close() {
      closing = true;
      return ears.close();
    },
  };
}
