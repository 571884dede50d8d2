// The portal session cookie.

import { serialize } from "hono/utils/cookie";
import { limits } from "../../contract/limits.ts";

const loopback = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;

/** Browsers keep no `Secure` cookie of plain http, so a loopback portal drops the attribute and the `__Host-` prefix. */
function isLoopbackHttp(requestUrl: string): boolean {
  const { protocol, hostname } = new URL(requestUrl);
  return protocol === "http:" && loopback.test(hostname);
}

export function cookieName(requestUrl: string): string {
  return isLoopbackHttp(requestUrl) ? "vv_session" : "__Host-vv_session";
}

/** A `Set-Cookie` value; a null secret clears the cookie. */
export function sessionCookie(requestUrl: string, secret: string | null): string {
  return serialize(cookieName(requestUrl), secret ?? "", {
    path: "/",
    httpOnly: true,
    sameSite: "Lax",
    secure: !isLoopbackHttp(requestUrl),
    maxAge: secret === null ? 0 : limits.portalSessionSeconds,
  });
}
