// The vault's and the catalogue's values as people read them.

import type { VoiceEngine } from "../../contract/settings.ts";
import type { ByoEngine, VoiceGroup } from "../../contract/voices.ts";

export const providerNames: Record<ByoEngine, string> = { cartesia: "Cartesia", elevenlabs: "ElevenLabs" };

export const groupStates: Record<
  VoiceGroup["state"],
  { label: string; tone: "good" | "wait" | "bad" | "plain" }
> = {
  ready: { label: "Ready", tone: "good" },
  empty: { label: "No voices", tone: "plain" },
  starting: { label: "Starting", tone: "wait" },
  refused: { label: "Refused", tone: "bad" },
  unreachable: { label: "Not reached", tone: "bad" },
  timed_out: { label: "Took too long", tone: "bad" },
  key_problem: { label: "Key problem", tone: "bad" },
};

/** An engine's name where only its id is known. */
export function engineName(engine: VoiceEngine): string {
  return engine === "local" ? "the built-in engine" : providerNames[engine];
}
