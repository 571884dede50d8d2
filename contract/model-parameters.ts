// What may be sent to a model: a settings record, cut to what the model's catalogue row says it accepts.

import type { Effort, ModelRow, Reasoning } from "./models.ts";
import type { Settings } from "./settings.ts";

/** The Messages API's `thinking`. */
export type Thinking =
  | { type: "adaptive" }
  | { type: "disabled" }
  | { type: "enabled"; budget_tokens: number };

/** By the Messages API's names; a field that is absent is not sent. `effort` goes into `output_config`. */
export interface ModelParameters {
  /** The reply's ceiling, and above it room for the thinking, which upstream counts as well. */
  max_tokens: number;
  temperature?: number;
  top_p?: number;
  effort?: Effort;
  thinking?: Thinking;
}

/** Tokens that thinking may take. 1,024 is the smallest budget the Messages API accepts. */
const thinkingTokens = { low: 1024, medium: 4096, high: 16_384, xhigh: 16_384, max: 16_384 } as const;

/** The effort that goes with a thinking level; `off` is the least there is. */
const levelEffort = { off: "low", low: "low", medium: "medium", high: "high" } as const;

type LevelTaker = Pick<ModelRow, "id" | "reasoning">;

/**
 * The thinking level that a model takes over from the settings: chosen for the live model, it holds for another model
 * only if that one takes a level the same way. Null: none was chosen, or this model ignores it.
 */
function chosenLevel(
  settings: Pick<Settings, "reasoning">,
  row: LevelTaker,
  live: LevelTaker,
): Reasoning | null {
  if (row.reasoning === "none") return null;
  return row.id === live.id || row.reasoning === live.reasoning ? settings.reasoning : null;
}

function chooseEffort(row: ModelRow, wanted: Effort): Effort | undefined {
  if (!row.supports_effort) return undefined;
  return wanted === "max" && !row.effort_max ? "xhigh" : wanted;
}

function chooseThinking(kind: ModelRow["reasoning"], level: Reasoning): Thinking | undefined {
  // A model that always thinks is told how much by its effort alone.
  if (kind === "none" || kind === "always") return undefined;
  if (level === "off") return { type: "disabled" };
  return kind === "adaptive"
    ? { type: "adaptive" }
    : { type: "enabled", budget_tokens: thinkingTokens[level] };
}

export interface ParameterSource {
  settings: Pick<Settings, "max_tokens" | "temperature" | "top_p" | "effort" | "reasoning">;
  /** The model that is asked. */
  row: ModelRow;
  /** The model of the live conversation, for which the thinking level was chosen. */
  live: LevelTaker;
}

/** What a request may carry so that the model does not refuse it. */
export function modelParameters({ settings, row, live }: ParameterSource): ModelParameters {
  const chosen = chosenLevel(settings, row, live);
  const level = chosen ?? row.default_reasoning;
  const effort = chooseEffort(row, chosen === null ? settings.effort : levelEffort[chosen]);
  const thinking = chooseThinking(row.reasoning, level);
  const thinks = row.reasoning === "always" || (thinking !== undefined && thinking.type !== "disabled");
  const room =
    thinking?.type === "enabled" ? thinking.budget_tokens : thinkingTokens[effort ?? levelEffort[level]];
  // Sampling cannot be combined with thinking, whatever the model accepts without it.
  const samples = row.supports_sampling && !(thinking !== undefined && thinks);
  return {
    max_tokens: settings.max_tokens + (thinks ? room : 0),
    ...(samples && settings.temperature !== null ? { temperature: settings.temperature } : {}),
    ...(samples && settings.top_p !== null ? { top_p: settings.top_p } : {}),
    ...(effort === undefined ? {} : { effort }),
    ...(thinking === undefined ? {} : { thinking }),
  };
}
