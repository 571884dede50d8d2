import type { CloseReason } from "../sdk/index.ts";

const words: Record<CloseReason, string> = {
  disconnected: "The session ended",
  replaced: "Opened somewhere else",
  idle: "The session fell asleep",
  max_length: "Time is up",
  credential: "You are signed out",
  refused: "The session is over",
  persona: "The call is over",
  lost: "The connection was lost",
};

/** A heading for why there is no session; the service's sentence goes under it. */
export function closingWords(reason: CloseReason, wasLive: boolean): string {
  return reason === "refused" && !wasLive ? "Going live did not work" : words[reason];
}
