// The box's ears: the configured recogniser, with voice activity and end of turn around it.

import type { BoxConfig } from "../config.ts";
import type { Log } from "../ops/log.ts";
import type { Ears } from "./listener.ts";
import { RecognitionError } from "./recogniser.ts";

export interface EarsOptions {
  config: Pick<BoxConfig, "recogniser">;
  log: Log;
}

export function openEars(_options: EarsOptions): Promise<Ears> {
  return Promise.resolve({
    mode: null,
    state: () => ({ state: "unavailable" as const, detail: "No speech recognition is configured." }),
    listen: () => Promise.reject(new RecognitionError("No speech recognition is configured.")),
    close: () => Promise.resolve(),
  });
}
