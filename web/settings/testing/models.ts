// Rows of a model catalogue, for tests.

import type { ModelRow } from "../../../contract/models.ts";

/** A resident model of this id and label that takes nothing, but for the given flags. */
export function modelRow(label: string, flags: Partial<ModelRow> = {}): ModelRow {
  return {
    id: label,
    label,
    tiers: ["quality", "fast"],
    supports_sampling: false,
    supports_effort: false,
    effort_max: false,
    reasoning: "none",
    default_reasoning: "off",
    provider: "anthropic",
    residency: "au",
    selectable: true,
    ...flags,
  };
}
