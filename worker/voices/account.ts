// How an account speaks: its engine, its default voice, and its keys in the clear for as long as they are needed.

import { z } from "zod";
import { builtinVoiceEngine, settingsPatchSchema, type VoiceEngine } from "../../contract/settings.ts";
import type { VoiceAccount } from "../../contract/internal/voices.ts";
import type { ByoEngine } from "../../contract/voices.ts";
import type { Env } from "../platform/env.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { describeError, log } from "../platform/log.ts";
import { unreadable } from "../settings/settings.ts";
import { open, seal } from "./sealing.ts";
import { readVoiceRows, replaceSealed, type VoiceKeyRow, type VoiceRows } from "./store.ts";

export interface VoiceScope {
  env: Env;
  account: string;
}

export interface VoiceState {
  engine: VoiceEngine;
  /** The default voice of the selected engine; null when none was chosen for it. */
  defaultVoice: string | null;
  /** Voices saved in the settings, by engine. */
  slots: Record<VoiceEngine, string | null>;
  keys: VoiceKeyRow[];
}

const { tts_provider, voice_id, voice_id_local, voice_id_cartesia } = settingsPatchSchema.shape;
const recordSchema = z.object({ tts_provider, voice_id, voice_id_local, voice_id_cartesia });

export const vaultFailed = (cause: unknown) =>
  failure("vault_unavailable", "The voice settings cannot be reached right now.", cause);

function parseState({ record, chosen, keys }: VoiceRows): Outcome<VoiceState> {
  try {
    const { data } = recordSchema.safeParse(record === null ? {} : JSON.parse(record));
    if (!data) return unreadable(new Error("The stored settings break the schema."));
    const engine = data.tts_provider ?? builtinVoiceEngine;
    return success({
      engine,
      // One of another engine is what a change of engine elsewhere left behind.
      defaultVoice: chosen?.engine === engine ? chosen.voiceId : null,
      slots: {
        local: data.voice_id_local || null,
        cartesia: data.voice_id_cartesia || null,
        elevenlabs: data.voice_id || null,
      },
      keys,
    });
  } catch {
    return unreadable(new Error("The stored settings are no JSON."));
  }
}

export async function loadVoiceState({ env, account }: VoiceScope): Promise<Outcome<VoiceState>> {
  let rows: VoiceRows;
  try {
    rows = await readVoiceRows(env.db, account);
  } catch (cause) {
    return vaultFailed(cause);
  }
  return parseState(rows);
}

/**
 * A saved key in the clear; null when it cannot be opened. One that the previous vault key sealed is sealed again under
 * the current one, so that the previous can be retired.
 */
export async function openKey({ db, vault }: Env, row: VoiceKeyRow): Promise<string | null> {
  const opened = vault && (await open(vault, row, row.sealed));
  if (!opened) return null;
  if (opened.stale) {
    try {
      await replaceSealed(db, row, await seal(vault, row, opened.plain));
    } catch (error) {
      // The next opening, or the clean-up, tries again.
      log("warn", "voice_key_reseal", describeError(error));
    }
  }
  return opened.plain;
}

export const keyRowOf = (state: VoiceState, provider: ByoEngine) =>
  state.keys.find((row) => row.provider === provider);

/** What a box needs to speak for an account: the only answer with keys in the clear. */
export async function readVoiceAccount(scope: VoiceScope): Promise<Outcome<VoiceAccount>> {
  const state = await loadVoiceState(scope);
  if (!state.ok) return state;
  const { engine, defaultVoice, keys: rows } = state.value;
  const account: VoiceAccount = { engine, default_voice: defaultVoice, keys: [], unreadable: [] };
  for (const row of rows) {
    const key = await openKey(scope.env, row);
    if (key === null) account.unreadable.push(row.provider);
    else account.keys.push({ provider: row.provider, key });
  }
  return success(account);
}
