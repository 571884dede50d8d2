// The microphone in words for people.

import type { MicrophonePhase } from "./microphone-store.ts";

/** What the sign over the picture says; null where there is nothing to say. */
export const phaseWords: Record<MicrophonePhase, string | null> = {
  off: null,
  asking: "Allow the microphone",
  connecting: "Getting ready to listen",
  listening: "Listening",
  hearing: "Hearing you",
  muted: "Microphone muted",
  reconnecting: "Not listening: reconnecting",
  refused: null,
};

/** What pressing the button does. */
export const pressWords: Record<MicrophonePhase, string> = {
  off: "Use the microphone",
  asking: "Cancel the microphone",
  connecting: "Cancel the microphone",
  listening: "Mute microphone",
  hearing: "Mute microphone",
  muted: "Mute microphone",
  reconnecting: "Mute microphone",
  refused: "Use the microphone",
};

const titles: Record<string, string> = {
  microphone_denied: "The microphone is blocked",
  microphone_missing: "There is no microphone",
  microphone_insecure: "This page may not use a microphone",
  unsupported_browser: "This browser cannot do it",
  microphone_lost: "The microphone is gone",
  microphone_refused: "You cannot be heard",
};

/** A heading for why the microphone is off; the reason itself goes under it. */
export const refusalTitle = (code: string): string => titles[code] ?? "The microphone is off";

/** A label reads as something going on. */
export const goingOn = (label: string): string => (/[.…!?]$/.test(label) ? label : `${label}…`);
