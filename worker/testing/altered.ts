// Calls of a portal that is configured otherwise, or whose stores fail.

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import worker from "../index.ts";
import type { Bindings } from "../platform/env.ts";
import { bindings, origin, type Call } from "./portal.ts";

/** A call of a portal with other bindings; what it leaves running has ended when this answers. */
export async function callWith(
  changes: Partial<Bindings>,
  path: string,
  { method = "GET", headers = {}, body }: Call = {},
): Promise<Response> {
  const context = createExecutionContext();
  const request = new Request(origin + path, {
    method,
    headers,
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  const response = await worker.fetch(request as never, { ...bindings, ...changes }, context);
  await waitOnExecutionContext(context);
  return response;
}

/** A portal away from home that has nowhere to sign URLs for. */
export const withoutStorage: Partial<Bindings> = {
  ENVIRONMENT: "production",
  PORTAL_URL: "https://portal.test",
  MAIL: "none",
};
