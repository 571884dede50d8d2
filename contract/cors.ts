// What box paths say to pages of other sites, whichever plane answers: they take no cookie, only a credential that a page
// must hold, so any page may call them.

/** On every answer of a box path that a page of another site may read. */
export const sharedHeaders = {
  "Access-Control-Allow-Origin": "*",
  "Access-Control-Expose-Headers": "Location, Link, ETag, Retry-After, X-Request-Id, WWW-Authenticate",
} as const;

/** Beside those on the answer to a preflight. Browsers keep it for a day, or for as long as they like less. */
export const preflightHeaders = {
  "Access-Control-Allow-Methods": "GET, POST, PATCH, DELETE, OPTIONS",
  "Access-Control-Allow-Headers": "Authorization, X-Api-Key, Content-Type, Accept, If-Match, X-Request-Id",
  "Access-Control-Max-Age": "86400",
} as const;
