// Headers that tell browsers how to treat what the portal answers.

/** Paths whose answers are nobody's to keep: they hold secrets or personal data. */
const uncached = /^\/(?:auth|dev|internal|v1|health)(?:\/|$)/;

/** Two years, as the preload list asks at least one. */
const transportSecurity = "max-age=63072000; includeSubDomains";

/** What every answer carries. `request` is what was asked. */
export function finishHeaders(response: Response, request: { url: string }, requestId: string): void {
  const { headers } = response;
  const { protocol, pathname } = new URL(request.url);
  headers.set("X-Request-Id", requestId);
  if (response.status === 101) return;
  if (protocol === "https:") headers.set("Strict-Transport-Security", transportSecurity);
  if (uncached.test(pathname) && !headers.has("Cache-Control")) headers.set("Cache-Control", "no-store");
  if (!headers.has("X-Content-Type-Options")) headers.set("X-Content-Type-Options", "nosniff");
}

/**
 * What a page may load and do: its own origin, and the bucket that signed URLs lead to. No other site may frame it, where a
 * stolen click could mint a key. `bucket` is the bucket's S3 endpoint; null where that is the portal itself.
 */
export function pagePolicy(pageUrl: string, bucket: string | null): string {
  const page = new URL(pageUrl);
  const media = bucket === null ? [] : [new URL(bucket).origin];
  // Some browsers do not count a socket to the page's own host as 'self'.
  const socket = `${page.protocol === "https:" ? "wss" : "ws"}://${page.host}`;
  const directives = {
    "default-src": ["'self'"],
    "script-src": ["'self'"],
    // The page of the API sets styles in its markup.
    "style-src": ["'self'", "'unsafe-inline'"],
    "img-src": ["'self'", "blob:", "data:", ...media],
    "media-src": ["'self'", "blob:", ...media],
    "connect-src": ["'self'", socket, ...media],
    "form-action": ["'self'"],
    "frame-ancestors": ["'none'"],
    "base-uri": ["'none'"],
    "object-src": ["'none'"],
  };
  return Object.entries(directives)
    .map(([name, sources]) => `${name} ${sources.join(" ")}`)
    .join("; ");
}
