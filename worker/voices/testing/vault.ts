// Drives the vault in tests, under whatever configuration a test wants.

import { createExecutionContext, waitOnExecutionContext } from "cloudflare:test";
import { voiceSettingsSchema, type ByoEngine, type VoiceSettings } from "../../../contract/voices.ts";
import worker from "../../index.ts";
import type { Bindings } from "../../platform/env.ts";
import { bindings, bodyOf, call, origin, type Browser } from "../../testing/portal.ts";
import { goodKeys } from "./providers.ts";

/** A call of a portal whose bindings are changed. */
export async function callWith(
  changes: Partial<Bindings>,
  path: string,
  {
    method = "GET",
    headers = {},
    body,
  }: { method?: string; headers?: Record<string, string>; body?: unknown } = {},
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

/** Bindings that fail whatever is asked of them. */
export function failing<T extends object>(): T {
  return new Proxy({} as T, {
    get: () => () => Promise.reject(new Error("The store is down.")),
  });
}

export const put = (path: string, body: unknown, headers: Record<string, string>) =>
  call(path, { method: "PUT", headers, body });

export const putKey = (browser: Browser, provider: ByoEngine, key = goodKeys[provider]) =>
  put("/auth/voice/key", { provider, key }, browser);

export async function voiceOf(response: Response): Promise<VoiceSettings> {
  return (await bodyOf(response, voiceSettingsSchema)).voice;
}
