// The table of voice providers.

import type { ByoEngine } from "../../../contract/voices.ts";
import type { Env } from "../../platform/env.ts";
import { cartesia } from "./cartesia.ts";
import { elevenlabs } from "./elevenlabs.ts";
import type { ProviderAccess, VoiceProvider } from "./provider.ts";

interface Configured {
  provider: VoiceProvider;
  urlOf(env: Env): string;
}

const table: Record<ByoEngine, Configured> = {
  cartesia: { provider: cartesia, urlOf: (env) => env.cartesiaUrl },
  elevenlabs: { provider: elevenlabs, urlOf: (env) => env.elevenlabsUrl },
};

export interface ConnectedProvider {
  provider: VoiceProvider;
  access: ProviderAccess;
}

/** A provider under a caller's key, for one exchange that ends in time. */
export function connect(env: Env, id: ByoEngine, key: string, timeoutMs: number): ConnectedProvider {
  const { provider, urlOf } = table[id];
  const url = urlOf(env);
  const baseUrl = url.endsWith("/") ? url : `${url}/`;
  return { provider, access: { baseUrl, key, signal: AbortSignal.timeout(timeoutMs) } };
}
