import type { BoxContext } from "./env.ts";

/** Box routes are callable from any page: they take no cookies, only credentials that a page must hold. */
export function corsHeaders(c: BoxContext): Record<string, string> {
  if (!c.req.header("origin")) return {};
  return {
    "Access-Control-Allow-Origin": "*",
    "Access-Control-Expose-Headers": "Location, Link, ETag, Retry-After, X-Request-Id, WWW-Authenticate",
  };
}

export const preflightHeaders = {
  "Access-Control-Allow-Methods": "GET, POST, PATCH, DELETE, OPTIONS",
  "Access-Control-Allow-Headers": "Authorization, X-Api-Key, Content-Type, Accept, If-Match, X-Request-Id",
  "Access-Control-Max-Age": "86400",
};
