// Which settings the chosen models take, in words: a field that does nothing is greyed out and says why.

import type { Effort, ModelRow, Reasoning } from "../../contract/models.ts";

export interface Gate {
  enabled: boolean;
  /** Why not, or for which of the two models only; empty when there is nothing to say. */
  reason: string;
}

export interface ChosenModels {
  /** Undefined when the catalogue has no row for the id. */
  model: ModelRow | undefined;
  liveModel: ModelRow | undefined;
}

/** A model's name without the trade-off in brackets. */
export function shortLabel(row: ModelRow): string {
  return row.label.replace(/\s*\([^()]*\)\s*$/, "") || row.label;
}

function gateBy({ model, liveModel }: ChosenModels, takes: (row: ModelRow) => boolean, what: string): Gate {
  const rows = [model, liveModel].filter((row) => row !== undefined);
  const taking = rows.filter(takes);
  if (taking.length === 0) {
    const names = [...new Set(rows.map(shortLabel))];
    const verb = names.length === 1 ? "does not take" : "do not take";
    return { enabled: false, reason: names.length === 0 ? "" : `${names.join(" and ")} ${verb} ${what}.` };
  }
  const [only] = taking;
  return {
    enabled: true,
    reason: taking.length < rows.length && only ? `Only ${shortLabel(only)} takes it.` : "",
  };
}

export function samplingGate(models: ChosenModels): Gate {
  return gateBy(models, (row) => row.supports_sampling, "it");
}

export function effortGate(models: ChosenModels, reasoning: Reasoning | null): Gate {
  const gate = gateBy(models, (row) => row.supports_effort, "an effort");
  if (gate.enabled && reasoning !== null) {
    return {
      enabled: false,
      reason: "The thinking level below decides this. Set it to automatic to choose here.",
    };
  }
  return gate;
}

export function effortLevelAllowed({ model, liveModel }: ChosenModels, level: Effort): boolean {
  return level !== "max" || Boolean(model?.effort_max || liveModel?.effort_max);
}

/** The level is the live model's; the other takes it only if it takes a level the same way. */
export function reasoningGate({ model, liveModel }: ChosenModels): Gate {
  if (!liveModel) return { enabled: false, reason: "" };
  const name = shortLabel(liveModel);
  if (liveModel.reasoning === "none") {
    return { enabled: false, reason: `${name} has no thinking control, so a level would be ignored.` };
  }
  const words =
    liveModel.reasoning === "always" ? `${name} always thinks; “off” means as little as it allows. ` : "";
  const other =
    model && model.id !== liveModel.id && model.reasoning !== liveModel.reasoning
      ? `${shortLabel(model)} does not take the level.`
      : "";
  return { enabled: true, reason: `${words}${other}`.trim() };
}

const residencyWords: Record<ModelRow["residency"], string> = {
  au: "runs in Australia",
  apac: "runs in Asia-Pacific",
  global: "may run anywhere",
};

/** One line about a model: whose it is, where it runs, and why it cannot be chosen. */
export function describeModel(row: ModelRow): string {
  const maker =
    row.provider === "builtin" ? "Built in" : row.provider.charAt(0).toUpperCase() + row.provider.slice(1);
  const refused = row.selectable ? "" : "; this deployment does not send data there";
  return `${maker}, ${residencyWords[row.residency]}${refused}`;
}
