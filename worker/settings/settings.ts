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
import { voiceEngineLabels } from "../../contract/voices.ts";
import { nowSeconds } from "../platform/clock.ts";
import { failure, success, type Outcome } from "../platform/errors.ts";
import { isPrivateHost } from "./endpoints.ts";
import { mergeRecord, readRecord } from "./store.ts";

/** Tools every persona has; a custom one may not take their names. */
const builtinTools = new Set(["end_call", "skip_turn", "pause_conversation", "set_language"]);

/** An engine on the caller's own account can be had where the portal can keep the caller's key. */
function ttsProviders(vault: boolean): SettingsRead["tts_providers"] {
  return voiceEngines.map((id) => {
    const local = id === "local";
    const available = local || vault;
    return { id, label: voiceEngineLabels[id], local, byo: !local, cloning: !local, available };
  });
}

const unreadable = (cause?: unknown) =>
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

async function loadRecord(db: D1Database, account: string): Promise<Outcome<SettingsPatch>> {
  try {
    const text = await readRecord(db, account);
    return text === null ? success({}) : parseRecord(text);
  } catch (cause) {
    return unreadable(cause);
  }
}

export interface SettingsScope {
  db: D1Database;
  account: string;
  models: ModelRow[];
  /** Whether provider keys can be kept. */
  vault: boolean;
}

export async function readSettings({
  db,
  account,
  models,
  vault,
}: SettingsScope): Promise<Outcome<SettingsRead>> {
  const record = await loadRecord(db, account);
  if (!record.ok) return record;
  return success({
    settings: effective(record.value, models),
    models,
    effort_levels: [...effortLevels],
    reasoning_levels: [...reasoningLevels],
    tts_providers: ttsProviders(vault),
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
    if (builtinTools.has(tool.name)) return `"tools": "${tool.name}" is the name of a built-in tool.`;
    if (names.has(tool.name)) return `"tools": two tools are called "${tool.name}".`;
    names.add(tool.name);
    if (tool.endpoint !== undefined && isPrivateHost(new URL(tool.endpoint).hostname)) {
      return `"tools": the endpoint of "${tool.name}" is not on the public internet.`;
    }
  }
  return null;
}

/** Saves a patch whole or not at all, and answers the whole record after the write. */
export async function saveSettings(
  { db, account, models }: SettingsScope,
  patch: SettingsPatch,
): Promise<Outcome<Settings>> {
  const refused = objection(patch, models);
  if (refused !== null) return failure("setting_refused", refused);
  const before = await loadRecord(db, account);
  if (!before.ok) return before;
  if (Object.keys(patch).length === 0) return success(effective(before.value, models));
  try {
    const after = await mergeRecord(db, { account, patch, at: nowSeconds() });
    if (after === null) return unreadable(new Error("The stored settings broke between read and write."));
    const record = parseRecord(after);
    return record.ok ? success(effective(record.value, models)) : record;
  } catch (cause) {
    return unreadable(cause);
  }
}
