// Records as the portal answers them, for tests.

import type { VoiceCatalogue, VoiceGroup, VoiceRow, VoiceSettings } from "../../../contract/voices.ts";

export function voiceRow(id: string, parts: Partial<VoiceRow> = {}): VoiceRow {
  const provider = parts.provider ?? "local";
  return {
    provider,
    id,
    name: id.charAt(0).toUpperCase() + id.slice(1),
    language: "en",
    gender: "female",
    description: "",
    preview: `/auth/voices/preview?provider=${provider}&voice=${id}`,
    recommended: false,
    ...parts,
  };
}

export function voiceGroup(parts: Partial<VoiceGroup> = {}): VoiceGroup {
  return {
    provider: "local",
    label: "Built in",
    state: "ready",
    reason: "",
    local: true,
    voices: [voiceRow("nora")],
    ...parts,
  };
}

export function catalogue(
  groups: VoiceGroup[] = [voiceGroup()],
  parts: Partial<VoiceCatalogue> = {},
): VoiceCatalogue {
  return {
    groups,
    voices: groups.flatMap(({ voices }) => voices),
    current: null,
    current_provider: "local",
    portal_default: null,
    engine_ready: true,
    provider: "local",
    provider_label: "Built in",
    requires_env: null,
    local: true,
    byo: false,
    voice_notice: "",
    ...parts,
  };
}

export function vaultSettings(parts: Partial<VoiceSettings> = {}): VoiceSettings {
  return {
    engine: "local",
    engines: [
      { id: "local", label: "Built in", byo: false, provider: null, note: "Speaks without a key." },
      { id: "cartesia", label: "Cartesia", byo: true, provider: "cartesia", note: "Needs your own key." },
    ],
    keys: [],
    ...parts,
  };
}
