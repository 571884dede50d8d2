// The keys that mute the microphone: with a modifier, for whoever speaks to their computer or slips types letters too.

export const muteChord = "Alt+M";

type Pressed = Pick<KeyboardEvent, "altKey" | "ctrlKey" | "metaKey" | "shiftKey" | "key" | "code">;

export function isMuteChord({ altKey, ctrlKey, metaKey, shiftKey, key, code }: Pressed): boolean {
  if (!altKey || ctrlKey || metaKey || shiftKey) return false;
  // On a Mac it types µ; on a keyboard without Latin letters the place of the key counts.
  return /^[a-z]$/i.test(key) ? key.toLowerCase() === "m" : key === "µ" || code === "KeyM";
}
