// What the events of one microphone socket obey, whatever happens to it.

import { expect } from "vitest";
import { microphoneEventSchema, type MicrophoneEvent } from "../../contract/microphone-socket.ts";

/** What every socket's events obey, in the order they were sent. */
export function checkEvents(events: readonly MicrophoneEvent[], closed: boolean): void {
  let [thinking, drawn] = [false, false];
  let [answers, acted] = [0, false];
  const types = events.map(({ type }) => type);
  const fatal = events.findIndex((event) => event.type === "error" && event.fatal);
  // A socket may end before it has begun.
  if (types.some((type) => type !== "error" && type !== "session_end")) expect(types[0]).toBe("ready");
  expect(types.filter((type) => type === "ready").length).toBeLessThanOrEqual(1);
  if (fatal !== -1) expect(fatal).toBe(events.length - 1);
  for (const event of events) {
    microphoneEventSchema.parse(event);
    switch (event.type) {
      case "state":
        if (!("thinking" in event)) {
          expect(thinking).toBe(false);
          break;
        }
        expect(event.thinking).toBe(!thinking);
        if (!event.thinking) expect(answers === 1 || (answers === 0 && acted)).toBe(true);
        thinking = event.thinking;
        [answers, acted] = [0, false];
        break;
      case "partial":
        drawn = true;
        break;
      case "caption_clear":
        expect(drawn).toBe(true);
        drawn = false;
        break;
      case "final":
        expect(thinking).toBe(false);
        drawn = false;
        break;
      case "reply":
      case "reply_error":
        expect(thinking).toBe(true);
        answers++;
        break;
      case "reply_chunk":
      case "tool":
      case "metric":
        expect(thinking).toBe(true);
        expect(answers).toBe(0);
        break;
      case "action":
        if (event.name === "skip_turn" || event.name === "end_call") expect(thinking).toBe(true);
        acted = true;
        break;
    }
  }
  if (!closed) return;
  expect(answers).toBeLessThanOrEqual(1);
  // What the box ends is tidied up first; a client that leaves hears no more of it.
  if (fatal === -1 && !types.includes("session_end")) return;
  expect(thinking).toBe(false);
  expect(drawn).toBe(false);
}
