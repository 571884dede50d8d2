// Bodies: read once, never past their limit, and parsed whatever the caller named their type.

import type { MiddlewareHandler } from "hono";
import { limits } from "../../contract/limits.ts";
import { refuse } from "./errors.ts";
import type { Portal } from "./context.ts";

type Message = Pick<Request | Response, "body" | "headers">;

/** A body's bytes; null as soon as it is known to be longer than the limit. */
export async function readBytesWithin(
  { body, headers }: Message,
  maxBytes: number,
): Promise<Uint8Array<ArrayBuffer> | null> {
  if (Number(headers.get("Content-Length") ?? 0) > maxBytes) {
    await body?.cancel();
    return null;
  }
  if (!body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  const reader = body.getReader();
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
  const whole = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return whole;
}

/** A body as UTF-8 text; null as soon as it is known to be longer than the limit. */
export async function readTextWithin(message: Message, maxBytes: number): Promise<string | null> {
  const bytes = await readBytesWithin(message, maxBytes);
  return bytes && new TextDecoder().decode(bytes);
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
