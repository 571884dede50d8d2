// The vault of provider keys, and the engine and voice that an account speaks with.

import type { z } from "zod";
import { voiceEngines, type VoiceEngine } from "../../contract/settings.ts";
import {
  isByoEngine,
  voiceEngineLabels,
  type ByoEngine,
  type voiceDefaultRequestSchema,
  type voiceKeyRequestSchema,
  type VoiceSettings,
} from "../../contract/voices.ts";
import { nowSeconds } from "../platform/clock.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { describeError, log } from "../platform/log.ts";
import { loadVoiceState, vaultFailed, type VoiceScope, type VoiceState } from "./account.ts";
import { connect } from "./providers/providers.ts";
import { ProviderFailure } from "./providers/provider.ts";
import { seal } from "./sealing.ts";
import { deleteDefault, deleteKey, storeDefault, storeEngine, upsertKey, type VoiceKeyRow } from "./store.ts";

/** How long a provider may take over a key before it is kept unchecked. */
export const verifyTimeoutMs = 5_000;

const noVault = failure("vault_unavailable", "This deployment keeps no voice keys: no vault is configured.");

function keyEntry(row: VoiceKeyRow): VoiceSettings["keys"][number] {
  return {
    provider: row.provider,
    last4: row.last4,
    masked: `sk-…${row.last4}`,
    created_at: row.createdAt,
    updated_at: row.updatedAt,
    validated: row.validated,
    validated_at: row.validatedAt,
  };
}

function engineEntry(id: VoiceEngine): VoiceSettings["engines"][number] {
  const label = voiceEngineLabels[id];
  return isByoEngine(id)
    ? { id, label, byo: true, provider: id, note: `Speaks on your own ${label} account.` }
    : { id, label, byo: false, provider: null, note: "Speaks on the box itself and needs no key." };
}

function describe({ engine, keys }: VoiceState): VoiceSettings {
  return { engine, engines: voiceEngines.map(engineEntry), keys: keys.map(keyEntry) };
}

export async function readVault(scope: VoiceScope): Promise<Outcome<VoiceSettings>> {
  const state = await loadVoiceState(scope);
  return state.ok ? success(describe(state.value)) : state;
}

/** Runs a write, and answers the refreshed settings; where those cannot be read, that the write was made all the same. */
async function refreshedAfter(
  scope: VoiceScope,
  write: () => Promise<Outcome<unknown>>,
): Promise<Outcome<VoiceSettings>> {
  try {
    const written = await write();
    if (!written.ok) return written;
  } catch (cause) {
    return vaultFailed(cause);
  }
  const after = await readVault(scope);
  if (after.ok) return after;
  const message = "The change was made, but the voice settings cannot be read right now.";
  return failure(after.failure.code, message, after.cause);
}

/** The same for what rests on the settings: while they cannot be read, nothing is written. */
async function change(
  scope: VoiceScope,
  write: () => Promise<Outcome<unknown>>,
): Promise<Outcome<VoiceSettings>> {
  const before = await loadVoiceState(scope);
  return before.ok ? refreshedAfter(scope, write) : before;
}

/** What the provider says of a key: true, false, or null when it could not be asked. */
async function verify({ env }: VoiceScope, provider: ByoEngine, key: string): Promise<boolean | null> {
  const connected = connect(env, provider, key, verifyTimeoutMs);
  try {
    await connected.provider.verify(connected.access);
    return true;
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    if (error.kind === "key") return false;
    // An account that may not list its voices is an account.
    if (error.kind === "denied") return true;
    log("warn", "voice_key_unchecked", { provider, ...describeError(error) });
    return null;
  }
}

/** Keeps a key unless its provider rejects it; a rejected one leaves what was kept before as it was. */
export function saveKey(
  scope: VoiceScope,
  { provider, key }: z.infer<typeof voiceKeyRequestSchema>,
): Promise<Outcome<VoiceSettings>> {
  const { env, account } = scope;
  const { vault } = env;
  return change(scope, async () => {
    if (!vault) return noVault;
    const validated = await verify(scope, provider, key);
    if (validated === false) {
      return failure(
        "key_rejected",
        `${voiceEngineLabels[provider]} does not accept this key. It was not kept.`,
      );
    }
    const updatedAt = nowSeconds();
    await upsertKey(env.db, {
      account,
      provider,
      sealed: await seal(vault, { account, provider }, key),
      last4: key.slice(-4),
      updatedAt,
      validated,
      validatedAt: validated === null ? null : updatedAt,
    });
    return success(null);
  });
}

/**
 * Removes a key, if there is one. Settings that cannot be read keep nobody from taking a secret back: the key is gone
 * then too, and only the refreshed settings are missing from the answer.
 */
export function removeKey(scope: VoiceScope, provider: ByoEngine): Promise<Outcome<VoiceSettings>> {
  return refreshedAfter(scope, async () => {
    await deleteKey(scope.env.db, { account: scope.account, provider, at: nowSeconds() });
    return success(null);
  });
}

/** Why a choice was not written. */
async function whyNot(scope: VoiceScope, engine: VoiceEngine): Promise<Outcome<never>> {
  const state = await loadVoiceState(scope);
  if (!state.ok) return state;
  return failure("voice_key_required", `Save a ${voiceEngineLabels[engine]} key first.`);
}

export function chooseEngine(scope: VoiceScope, engine: VoiceEngine): Promise<Outcome<VoiceSettings>> {
  const { env, account } = scope;
  return change(scope, async () =>
    (await storeEngine(env.db, { account, engine, at: nowSeconds() }))
      ? success(null)
      : whyNot(scope, engine),
  );
}

export function chooseDefault(
  scope: VoiceScope,
  wish: z.infer<typeof voiceDefaultRequestSchema>,
): Promise<Outcome<VoiceSettings>> {
  const { env, account } = scope;
  const { engine, voice_id: voiceId, display_name: displayName } = wish;
  return change(scope, async () =>
    (await storeDefault(env.db, { account, engine, voiceId, displayName, at: nowSeconds() }))
      ? success(null)
      : whyNot(scope, engine),
  );
}

export function forgetDefault(scope: VoiceScope): Promise<Outcome<VoiceSettings>> {
  return change(scope, async () => {
    await deleteDefault(scope.env.db, scope.account);
    return success(null);
  });
}
