import { sharedHeaders } from "../../contract/cors.ts";
import type { BoxContext } from "./env.ts";

/** What an answer to a page says; a program, which sends no `Origin`, needs none of it. */
export function corsHeaders(c: BoxContext): Record<string, string> {
  return c.req.header("origin") ? sharedHeaders : {};
}
