// The caller's one settings record: defaults, rules and saves.

import { z } from "zod";
import type { ModelRow } from "../../contract/models.ts";
import { effortLevels, reasoningLevels } from "../../contract/models.ts";
import {
  defaultSettings,
  settingsPatchSchema,
  voiceEngines,
  type Settings,
  type SettingsPatch,
  type SettingsRead,
} from "../../contract/settings.ts";
import { builtinTools } from "../../contract/tools.ts";
import { voiceEngineLabels } from "../../contract/voices.ts";
import { catalogueOf } from "../models/models.ts";
import { nowSeconds } from "../platform/clock.ts";
import type { Env } from "../platform/env.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { isPrivateHost } from "./endpoints.ts";
import { mergeRecord, parseFacts, readFacts } from "./store.ts";

/** An engine on the caller's own account can be had where the portal can keep the caller's key. */
function ttsProviders(vault: boolean): SettingsRead["tts_providers"] {
  return voiceEngines.map((id) => {
    const local = id === "local";
    const available = local || vault;
    return { id, label: voiceEngineLabels[id], local, byo: !local, cloning: !local, available };
  });
}

export const unreadable = (cause?: unknown) =>
  failure(
    "settings_unavailable",
    "The stored settings cannot be read right now. Nothing was changed.",
    cause,
  );

/** Fields that another version of the portal may have stored are left where they are, and left out here. */
const storedSchema = z.object(settingsPatchSchema.shape);

/** What is stored, checked field by field; a value that no save could have written makes the record unreadable. */
function parseRecord(text: string): Outcome<SettingsPatch> {
  try {
    const record = storedSchema.safeParse(JSON.parse(text));
    return record.success
      ? success(record.data)
      : unreadable(new Error("The stored settings break the schema."));
  } catch {
    return unreadable(new Error("The stored settings are no JSON."));
  }
}

/** Lays what was saved over the defaults. A model the deployment no longer offers gives way to the default one. */
function effective(saved: SettingsPatch, models: readonly ModelRow[]): Settings {
  const base = defaultSettings(models);
  const offered = (id: string | undefined) => models.find((row) => row.id === id && row.selectable);
  const { avatar, ...fields } = saved;
  const model = offered(saved.model)?.id ?? base.model;
  return {
    ...base,
    ...fields,
    ...(avatar ? { avatar } : {}),
    model,
    live_model: offered(saved.live_model)?.id ?? base.live_model,
    provider: models.find((row) => row.id === model)?.provider ?? base.provider,
  };
}

export interface SettingsScope {
  env: Env;
  account: string;
  /** What came along with the look-up of the caller's credential; null when nothing did. */
  facts: string | null;
}

interface Loaded {
  record: SettingsPatch;
  models: ModelRow[];
}

/** What is stored, and the catalogue with what is known of each model. */
async function load({ env, account, facts }: SettingsScope): Promise<Outcome<Loaded>> {
  try {
    const { record: text, probes } = facts === null ? await readFacts(env.db, account) : parseFacts(facts);
    const record = text === null ? success({}) : parseRecord(text);
    return record.ok ? success({ record: record.value, models: catalogueOf(env, probes) }) : record;
  } catch (cause) {
    return unreadable(cause);
  }
}

export async function readSettings(scope: SettingsScope): Promise<Outcome<SettingsRead>> {
  const loaded = await load(scope);
  if (!loaded.ok) return loaded;
  const { record, models } = loaded.value;
  return success({
    settings: effective(record, models),
    models,
    effort_levels: [...effortLevels],
    reasoning_levels: [...reasoningLevels],
    tts_providers: ttsProviders(scope.env.vault !== null),
    persisted: true,
  });
}

/** Why a patch is refused as a whole; null when it may be saved. */
function objection(patch: SettingsPatch, models: readonly ModelRow[]): string | null {
  for (const slot of ["model", "live_model"] as const) {
    const id = patch[slot];
    if (id === undefined) continue;
    const row = models.find((model) => model.id === id);
    if (!row) return `"${slot}": the model "${id}" does not exist.`;
    if (!row.selectable) {
      return `"${slot}": this deployment does not send data to "${id}", which runs outside its region (${row.residency}).`;
    }
  }
  const names = new Set<string>();
  for (const tool of patch.tools ?? []) {
    if (builtinTools.includes(tool.name)) return `"tools": "${tool.name}" is the name of a built-in tool.`;
    if (names.has(tool.name)) return `"tools": two tools are called "${tool.name}".`;
    names.add(tool.name);
    if (tool.endpoint !== undefined && isPrivateHost(new URL(tool.endpoint).hostname)) {
      return `"tools": the endpoint of "${tool.name}" is not on the public internet.`;
    }
  }
  return null;
}

/** Saves a patch whole or not at all, and answers the whole record after the write. */
export async function saveSettings(scope: SettingsScope, patch: SettingsPatch): Promise<Outcome<Settings>> {
  const refused = objection(patch, catalogueOf(scope.env));
  if (refused !== null) return failure("setting_refused", refused);
  const before = await load(scope);
  if (!before.ok) return before;
  const { record, models } = before.value;
  if (Object.keys(patch).length === 0) return success(effective(record, models));
  const { env, account } = scope;
  try {
    const after = await mergeRecord(env.db, { account, patch, at: nowSeconds() });
    if (after === null) return unreadable(new Error("The stored settings broke between read and write."));
    const saved = parseRecord(after);
    return saved.ok ? success(effective(saved.value, models)) : saved;
  } catch (cause) {
    return unreadable(cause);
  }
}
