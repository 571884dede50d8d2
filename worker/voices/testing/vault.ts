// Drives the vault in tests.

import { structuredErrorSchema } from "../../../contract/errors.ts";
import { voiceAccountSchema } from "../../../contract/internal/voices.ts";
import { voiceSettingsSchema, type ByoEngine, type VoiceSettings } from "../../../contract/voices.ts";
import { asBox, bodyOf, call, db, post, type Browser } from "../../testing/portal.ts";
import { goodKeys } from "./providers.ts";

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

export const codeOf = async (response: Response) => {
  const { error } = await bodyOf(response, structuredErrorSchema);
  return [response.status, error.code];
};

export const read = async (browser: Browser) =>
  voiceOf(await call("/auth/voice/settings", { headers: browser }));

export const remove = (browser: Browser, path: string) => call(path, { method: "DELETE", headers: browser });

export const putEngine = (browser: Browser, engine: string) => put("/auth/voice/engine", { engine }, browser);

export const putDefault = (browser: Browser, engine: string, voiceId = "v1") =>
  put("/auth/voice/default", { engine, voice_id: voiceId, display_name: "V" }, browser);

/** What a box is told of an account. */
export const askAsBox = async (account = "ann@example.com") =>
  bodyOf(await post("/internal/voices/account", { account }, asBox("box-a")), voiceAccountSchema);

export const storedKeys = async () =>
  (await db.prepare("SELECT * FROM voice_keys ORDER BY provider").all()).results;

/** The read and every write of the vault; all of them answer the refreshed settings. */
export const allCalls: [name: string, method: string, path: string, body?: unknown][] = [
  ["reading", "GET", "/auth/voice/settings"],
  ["saving a key", "PUT", "/auth/voice/key", { provider: "cartesia", key: goodKeys.cartesia }],
  ["removing a key", "DELETE", "/auth/voice/key/cartesia"],
  ["choosing an engine", "PUT", "/auth/voice/engine", { engine: "local" }],
  [
    "choosing a default",
    "PUT",
    "/auth/voice/default",
    { engine: "local", voice_id: "en-us+f2", display_name: "Nora" },
  ],
  ["forgetting the default", "DELETE", "/auth/voice/default"],
];
