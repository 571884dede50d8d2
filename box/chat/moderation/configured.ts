import type { BoxConfig } from "../../config.ts";
import type { Log } from "../../ops/log.ts";
import { openScreen, type Screen } from "./screen.ts";

/** The screen that the configuration asks for. */
export function configuredScreen(_options: {
  config: Pick<BoxConfig, "moderation">;
  log: Log;
}): Promise<Screen> {
  return Promise.resolve(openScreen);
}
