// Why a room could not be joined, in words for whoever asked, without the token or the address of anything.

import { Refusal } from "../failure.ts";

const reasons: [RegExp, string][] = [
  [/\b401\b|unauthori[sz]ed|invalid (?:token|API key)|permission/i, "the room server refused the token"],
  [/\b404\b/, "there is no room server at that URL, or it does not know the room"],
  [/\b429\b|limit exceeded/i, "the room server takes no more participants"],
  [/dns|resolve|name or service|not known/i, "the host of the URL is not known"],
  [/refused|unreachable|connection reset/i, "the room server cannot be reached"],
  [/time[d ]?-? ?out|too long|deadline/i, "the room server took too long"],
  [/certificate|tls|ssl/i, "no secure connection to the room server can be made"],
];

/** What the log keeps of the error behind it holds neither the token nor anything else of a query. */
export function joinFailure(error: unknown, token: string): Refusal {
  const message = error instanceof Error ? error.message : String(error);
  const reason =
    reasons.find(([pattern]) => pattern.test(message))?.[1] ?? "the room server did not let the avatar in";
  const safe = message.replaceAll(token, "…").replace(/\?\S*/g, "?…").slice(0, 500);
  return new Refusal("rtc_join_failed", `Could not connect with that URL and token: ${reason}.`, {
    cause: new Error(safe),
  });
}
