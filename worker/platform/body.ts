// Request bodies: read once, never past their limit, and parsed whatever the caller named their type.

import type { MiddlewareHandler } from "hono";
import { limits } from "../../contract/limits.ts";
import { refuse } from "./errors.ts";
import type { Portal } from "./context.ts";

/** Reads a body as UTF-8 text; null as soon as it is known to be longer than the limit. */
export async function readTextWithin(message: Request | Response, maxBytes: number): Promise<string | null> {
  if (Number(message.headers.get("Content-Length") ?? 0) > maxBytes) return null;
  if (!message.body) return "";
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = message.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    size += value.byteLength;
    if (size > maxBytes) {
      await reader.cancel();
      return null;
    }
    chunks.push(value);
  }
  return new TextDecoder().decode(await new Blob(chunks).arrayBuffer());
}

/**
 * Hands the route a JSON object, or refuses: `body_too_large` past 1 MiB, `invalid_body` for anything that is no
 * object. An empty body counts as `{}`, so that a route whose fields are all optional needs none.
 */
export const jsonBody: MiddlewareHandler<Portal> = async (c, next) => {
  const text = await readTextWithin(c.req.raw, limits.jsonBodyBytes);
  if (text === null) {
    refuse("body_too_large", `The body is larger than ${limits.jsonBodyBytes} bytes.`, {
      Connection: "close",
    });
  }
  if (text.trim() !== "" && !isJsonObject(text)) refuse("invalid_body", "The body must be a JSON object.");
  const headers = new Headers(c.req.raw.headers);
  headers.set("Content-Type", "application/json");
  headers.delete("Content-Length");
  c.req.raw = new Request(c.req.raw.url, { method: c.req.raw.method, headers, body: text.trim() || "{}" });
  await next();
};

function isJsonObject(text: string): boolean {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}
