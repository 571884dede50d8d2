import type { Envelope } from "../../contract/errors.ts";

/** Which envelope a route's failures come in: flat on the older box routes, structured on the newer ones. */
export function envelopeOf(method: string, path: string): Envelope {
  if (path === "/v1/streaming.create_token") return "unwrapped";
  // Its refusals have codes that callers branch on.
  if (path === "/api/voice/preview") return "structured";
  if (/^\/(?:connect|offer|disconnect)(?:\/|$)/.test(path)) return "flat";
  if (/^\/api\/(?:chat|talk|interrupt|avatars|videos|voices|voice|stats|upload|audios)(?:\/|$)/.test(path))
    return "flat";
  if (path === "/api/avatar/delete") return "flat";
  if (path === "/api/avatar/preview" && method !== "POST") return "flat";
  return "structured";
}
