import { expect, it } from "vitest";
import { isMuteChord } from "./microphone-chord.ts";

const none = { altKey: false, ctrlKey: false, metaKey: false, shiftKey: false };
const alt = { ...none, altKey: true };

it.each([
  ["Alt+M", { ...alt, key: "m", code: "KeyM" }],
  ["with caps lock", { ...alt, key: "M", code: "KeyM" }],
  ["where M is elsewhere", { ...alt, key: "m", code: "Semicolon" }],
  ["on a Mac", { ...alt, key: "µ", code: "KeyM" }],
  ["on a French Mac", { ...alt, key: "µ", code: "Semicolon" }],
  ["on a Cyrillic keyboard", { ...alt, key: "ь", code: "KeyM" }],
])("mutes %s", (_name, pressed) => {
  expect(isMuteChord(pressed)).toBe(true);
});

it.each([
  ["the letter alone", { ...none, key: "m", code: "KeyM" }],
  ["a capital", { ...none, shiftKey: true, key: "M", code: "KeyM" }],
  ["AltGr", { ...alt, ctrlKey: true, key: "µ", code: "KeyM" }],
  ["the window manager's chord", { ...alt, metaKey: true, key: "m", code: "KeyM" }],
  ["another chord", { ...alt, shiftKey: true, key: "M", code: "KeyM" }],
  ["another letter in its place", { ...alt, key: "q", code: "KeyM" }],
])("leaves %s alone", (_name, pressed) => {
  expect(isMuteChord(pressed)).toBe(false);
});
