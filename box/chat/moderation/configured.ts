import type { BoxConfig } from "../../config.ts";
import type { Log } from "../../ops/log.ts";
import { RulesScreen } from "./rules-screen.ts";
import { readRules } from "./rules.ts";
import { openScreen, type Screen, type Screened } from "./screen.ts";
import { ModerationService } from "./service.ts";

/** The screen that the configuration asks for. Rejects with ConfigError when its rules are not sound. */
export async function configuredScreen({
  config: { moderation },
  log,
}: {
  config: Pick<BoxConfig, "moderation">;
  log: Log;
}): Promise<Screen> {
  const { rulesPath, url, secret, onFailure } = moderation;
  if (rulesPath === null && url === null) return openScreen;
  const rules = rulesPath === null ? null : new RulesScreen(await readRules(rulesPath));
  const service = url === null ? null : new ModerationService({ url, secret, onFailure, log });
  const asked = async (
    role: "user" | "persona",
    screened: Screened,
    signal: AbortSignal,
  ): Promise<Screened> => {
    if (!service || screened.text.trim() === "") return screened;
    const answer = await service.screen(role, screened.text, signal);
    const reasons = [screened.reason, answer.reason].filter((reason) => reason !== null);
    return { text: answer.text, reason: reasons.length > 0 ? reasons.join(", ") : null };
  };
  // The signal is one for the whole reply, so it tells which reply a clause belongs to.
  return {
    message: (text, signal) => asked("user", rules?.message(text) ?? { text, reason: null }, signal),
    clause: (text, signal) => asked("persona", rules?.clause(text, signal) ?? { text, reason: null }, signal),
  };
}
