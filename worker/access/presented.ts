// The one place that reads a credential off a request.

import { getCookie } from "hono/cookie";
import { secretPattern } from "../../contract/credentials.ts";
import { isBoxPath } from "../../contract/policies.ts";
import type { PortalContext } from "../platform/context.ts";
import { cookieName } from "./cookie.ts";

/** What a request carries. An explicit header outranks the cookie that a browser sends along unasked. */
export type Presented =
  | { kind: "nothing" }
  | { kind: "malformed" }
  | { kind: "secret"; secret: string }
  | { kind: "jwt"; token: string }
  | { kind: "cookie"; value: string };

const jwtPattern = /^[\w-]+\.[\w-]+\.[\w-]+$/;

function classify(text: string): Presented {
  if (secretPattern.test(text)) return { kind: "secret", secret: text };
  return jwtPattern.test(text) ? { kind: "jwt", token: text } : { kind: "malformed" };
}

export function bearerOf(request: Request): string | null {
  const [scheme, ...rest] = (request.headers.get("Authorization") ?? "").trim().split(/\s+/);
  return scheme?.toLowerCase() === "bearer" ? rest.join(" ") : null;
}

export function isWebSocketUpgrade(request: Request): boolean {
  return request.headers.get("Upgrade")?.toLowerCase() === "websocket";
}

/** A browser cannot set headers on an upgrade; `/connect` takes the form too, as a box does. No route of the portal does. */
function mayCarryQuery({ req }: PortalContext): boolean {
  if (!isBoxPath(req.path)) return false;
  return isWebSocketUpgrade(req.raw) || (req.method === "POST" && req.path === "/connect");
}

/** Reads the three forms of an API key in their order of preference, then the portal cookie. */
export function presentedBy(c: PortalContext): Presented {
  const apiKey = c.req.header("X-Api-Key");
  if (apiKey !== undefined) {
    return secretPattern.test(apiKey) ? { kind: "secret", secret: apiKey } : { kind: "malformed" };
  }
  const bearer = bearerOf(c.req.raw);
  if (bearer !== null) return classify(bearer);
  const query = mayCarryQuery(c) ? c.req.query("session_token") : undefined;
  if (query !== undefined) {
    return secretPattern.test(query) ? { kind: "secret", secret: query } : { kind: "malformed" };
  }
  const cookie = getCookie(c, cookieName(c.req.url));
  return cookie === undefined ? { kind: "nothing" } : { kind: "cookie", value: cookie };
}
