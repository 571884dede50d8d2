// The voice catalogue: what each engine has to offer an account, and which voice it would speak with now.

import { limits } from "../../contract/limits.ts";
import { builtinVoiceEngine, type VoiceEngine } from "../../contract/settings.ts";
import {
  byoEngines,
  voiceEngineLabels,
  voiceGroupSchema,
  type ByoEngine,
  type VoiceCatalogue,
  type VoiceGroup,
  type VoiceRow,
} from "../../contract/voices.ts";
import type { Env } from "../platform/env.ts";
import { success, type Outcome } from "../platform/errors.ts";
import { describeError, log } from "../platform/log.ts";
import { keyRowOf, loadVoiceState, openKey, type VoiceScope, type VoiceState } from "./account.ts";
import { listBuiltin, type BuiltinVoice } from "./builtin-store.ts";
import { cacheName, readCached, writeCached } from "./cache.ts";
import { connect } from "./providers/providers.ts";
import { ProviderFailure, type ProviderFailureKind } from "./providers/provider.ts";
import type { VoiceKeyRow } from "./store.ts";

/** How long one provider may take over its whole list, which may come in several pages. */
export const listTimeoutMs = 8_000;

/** Names and descriptions are the provider's; a list stays a list, however much it has to say. */
const nameChars = 200;
const descriptionChars = 1000;

type GroupState = VoiceGroup["state"];

const samplePath = (provider: VoiceEngine, voice: string) =>
  `/auth/voices/preview?provider=${provider}&voice=${encodeURIComponent(voice)}`;

const byName = new Intl.Collator("en", { sensitivity: "base", numeric: true });

function compareRows(left: VoiceRow, right: VoiceRow): number {
  return byName.compare(left.name, right.name) || (left.id < right.id ? -1 : 1);
}

function group(
  provider: VoiceEngine,
  state: GroupState,
  reason: string,
  voices: Omit<VoiceRow, "preview">[] = [],
): VoiceGroup {
  return {
    provider,
    label: voiceEngineLabels[provider],
    state,
    reason,
    local: provider === builtinVoiceEngine,
    voices: voices.map((row) => ({ ...row, preview: samplePath(provider, row.id) })).sort(compareRows),
  };
}

/** The built-in voice of a session that chose none, on a face that has none of its own. */
export function builtinDefault(voices: readonly Omit<BuiltinVoice, "provider">[]): string | null {
  const recommended = voices.filter((row) => row.recommended);
  const english = recommended.find((row) => /^en\b/i.test(row.language));
  return (english ?? recommended[0] ?? voices[0])?.id ?? null;
}

async function builtinGroup({ db }: Env): Promise<VoiceGroup> {
  try {
    const rows = await listBuiltin(db);
    return rows.length > 0
      ? group(builtinVoiceEngine, "ready", "", rows)
      : group(builtinVoiceEngine, "starting", "The built-in voices are listed once a box has started.");
  } catch (error) {
    log("error", "builtin_voices", describeError(error));
    return group(builtinVoiceEngine, "unreachable", "The built-in voices cannot be listed right now.");
  }
}

const failureStates: Record<ProviderFailureKind, [state: GroupState, reason: (label: string) => string]> = {
  key: ["key_problem", (label) => `${label} does not accept the saved key. Save another one.`],
  denied: ["refused", (label) => `${label} does not let this key list its voices.`],
  busy: ["refused", (label) => `${label} takes no more requests for now.`],
  voice: ["unreachable", (label) => `${label} answered with something that is no list of voices.`],
  timeout: ["timed_out", (label) => `${label} took too long to list its voices.`],
  unreachable: ["unreachable", (label) => `${label} cannot be reached, or does not answer as it should.`],
};

async function fetchGroup(env: Env, provider: ByoEngine, key: string): Promise<VoiceGroup> {
  const connected = connect(env, provider, key, listTimeoutMs);
  try {
    const voices = await connected.provider.listVoices(connected.access);
    if (voices.length === 0) {
      return group(provider, "empty", `The ${voiceEngineLabels[provider]} account has no voices.`);
    }
    const rows = voices.map((row) => ({
      ...row,
      provider,
      name: row.name.slice(0, nameChars),
      description: row.description.slice(0, descriptionChars),
    }));
    return group(provider, "ready", "", rows);
  } catch (error) {
    if (!(error instanceof ProviderFailure)) throw error;
    log("warn", "voice_provider", { provider, kind: error.kind, ...describeError(error) });
    const [state, reason] = failureStates[error.kind];
    return group(provider, state, reason(voiceEngineLabels[provider]));
  }
}

interface ByoWish {
  state: VoiceState;
  provider: ByoEngine;
  refresh: boolean;
}

async function byoGroup({ env }: VoiceScope, { state, provider, refresh }: ByoWish): Promise<VoiceGroup> {
  const label = voiceEngineLabels[provider];
  const row = keyRowOf(state, provider);
  if (!row) return group(provider, "key_problem", `No ${label} key is saved.`);
  const key = await openKey(env, row);
  if (key === null) {
    return group(provider, "key_problem", `The saved ${label} key cannot be read. Save it again.`);
  }
  const name = await cacheName("list", row);
  const known = refresh ? null : await readCached(env.kv, name, voiceGroupSchema);
  if (known) return known;
  const fetched = await fetchGroup(env, provider, key);
  const failed = fetched.state !== "ready" && fetched.state !== "empty";
  const seconds = failed ? limits.voiceCatalogueFailedSeconds : limits.voiceCatalogueSeconds;
  await writeCached(env.kv, name, fetched, seconds);
  return fetched;
}

/** The language of a voice, where the list that names it is at hand. */
export async function knownLanguage(env: Env, key: VoiceKeyRow, voice: string): Promise<string> {
  const known = await readCached(env.kv, await cacheName("list", key), voiceGroupSchema);
  return known?.voices.find((row) => row.id === voice)?.language ?? "";
}

interface Current {
  engine: VoiceEngine;
  voice: string | null;
  portalDefault: { provider: VoiceEngine; id: string } | null;
  notice: string;
}

/** The engine and voice of a session that picks none itself. */
function resolveCurrent(state: VoiceState, groups: readonly VoiceGroup[]): Current {
  const groupOf = (provider: VoiceEngine) => groups.find((candidate) => candidate.provider === provider);
  const selected = groupOf(state.engine);
  const unusable = state.engine !== builtinVoiceEngine && selected?.state === "key_problem";
  const engine = unusable ? builtinVoiceEngine : state.engine;
  const spoken = groupOf(engine);
  const fallback = engine === builtinVoiceEngine ? builtinDefault(spoken?.voices ?? []) : null;
  const chosen = unusable ? null : state.defaultVoice;
  const listed = chosen !== null && (spoken?.voices.some((row) => row.id === chosen) ?? false);
  // A list that could not be had says nothing against the voice that was chosen from it.
  const keeps = listed || (chosen !== null && spoken?.state !== "ready" && spoken?.state !== "empty");
  return {
    engine,
    voice: keeps ? chosen : (state.slots[engine] ?? fallback),
    portalDefault: listed && chosen !== null ? { provider: engine, id: chosen } : null,
    notice: unusable ? `${selected?.reason ?? ""} The built-in voice speaks instead.` : "",
  };
}

export async function readCatalogue(scope: VoiceScope, refresh: boolean): Promise<Outcome<VoiceCatalogue>> {
  const loaded = await loadVoiceState(scope);
  if (!loaded.ok) return loaded;
  const state = loaded.value;
  const groups = await Promise.all([
    builtinGroup(scope.env),
    ...byoEngines.map((provider) => byoGroup(scope, { state, provider, refresh })),
  ]);
  const [builtin, ...hosted] = groups;
  const { engine, voice, portalDefault, notice } = resolveCurrent(state, groups);
  const local = engine === builtinVoiceEngine;
  return success({
    groups,
    voices: [...(builtin?.voices ?? []), ...hosted.flatMap((one) => one.voices).sort(compareRows)],
    current: voice,
    current_provider: engine,
    portal_default: portalDefault,
    engine_ready: !local || builtin?.state !== "starting",
    provider: engine,
    provider_label: voiceEngineLabels[engine],
    requires_env: null,
    local,
    byo: scope.env.vault !== null,
    voice_notice: notice,
  });
}
