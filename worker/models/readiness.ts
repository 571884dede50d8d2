// What a stored probe says of a model now, and how it goes into the catalogue. Pure: the time is handed in.

import { limits } from "../../contract/limits.ts";
import type { ModelReadiness, ModelRow } from "../../contract/models.ts";
import type { Verdict } from "./hosts/host.ts";
import type { ProbeRow } from "./store.ts";

/** Seconds after which to look again at a model that is being switched on. */
export const pollSeconds = 2;

const notProbed: ModelReadiness = { state: "unknown", reason: "Not probed yet." };

/** Why a model that was asked did not answer. The upstream's own words are never repeated. */
export const verdictReasons: Readonly<Record<Verdict, string>> = {
  accepted: "",
  refused: "The model refused even a plain request.",
  no_access: "This deployment's account has no access to the model.",
  not_found: "The model does not exist for this deployment's account.",
  rate_limited: "The model is taking no more requests just now.",
  unreachable: "The model could not be reached.",
};

/** A `ready` that is a day old, and an `enabling` whose call never came to an end, say nothing any more. */
export function readinessOf(probe: ProbeRow | undefined, now: number): ModelReadiness {
  if (!probe) return notProbed;
  const age = now - probe.probedAt;
  if (probe.state === "ready" && age >= limits.modelReadySeconds) {
    return { state: "unknown", reason: "Last seen working more than a day ago." };
  }
  if (probe.state === "enabling" && age >= limits.modelProbeSeconds) {
    return { state: "unknown", reason: "The last attempt to reach the model did not come to an end." };
  }
  return { state: probe.state, reason: probe.reason };
}

/** A row with what was measured and how the model last answered; what is refused or built in needs neither. */
export function withProbe(row: ModelRow, probe: ProbeRow | undefined, now: number): ModelRow {
  if (!row.selectable || row.provider === "builtin") return row;
  const { forced_tool_choice_supported: forced, ...flags } = probe?.flags ?? {};
  return {
    ...row,
    ...flags,
    ...(forced === false ? { forced_tool_choice_supported: false } : {}),
    status: readinessOf(probe, now),
  };
}
