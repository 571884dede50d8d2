// What a model accepts, found out by asking it: each parameter by itself, in as few tokens as it takes.

import type { MeasuredFlags } from "../platform/schema/settings.ts";
import type { ModelHost, ProbeBody } from "./hosts/host.ts";

/** The least one can ask of a model. */
export const oneToken: ProbeBody = { max_tokens: 1, messages: [{ role: "user", content: "Say ok." }] };

const tool = {
  name: "acknowledge",
  description: "Acknowledges.",
  input_schema: { type: "object", properties: {} },
};

/** The smallest thinking budget there is; the ceiling must lie above it. */
const budgetTokens = 1024;

/**
 * By the Messages API's parameters. Effort is asked for at the highest level below `max`: a model that takes this one
 * takes every level that may be sent to it.
 */
const questions = {
  sampling: { temperature: 0.5, top_p: 0.9 },
  effort: { output_config: { effort: "xhigh" } },
  effortMax: { output_config: { effort: "max" } },
  adaptive: { thinking: { type: "adaptive" } },
  disabled: { thinking: { type: "disabled" } },
  budget: { thinking: { type: "enabled", budget_tokens: budgetTokens }, max_tokens: budgetTokens + 1 },
} as const;

type Answers = Record<keyof typeof questions, boolean | undefined>;

/** How a model takes a thinking level; undefined when an answer that decides it is missing. */
function reasoningKind({ adaptive, disabled, budget }: Answers): MeasuredFlags["reasoning"] {
  if (adaptive === false && budget === false) return "none";
  const thinks = adaptive || budget;
  if (!thinks || adaptive === undefined || disabled === undefined) return undefined;
  if (!disabled) return "always";
  return adaptive ? "adaptive" : "budget";
}

/** True and false are the model's word: 200, or 400 for an invalid request. Any other failure says nothing. */
async function accepts(
  { host, model, signal }: Measurement,
  parameters: object,
): Promise<boolean | undefined> {
  const verdict = await host.ask(model, { ...oneToken, ...parameters }, signal);
  return verdict === "accepted" ? true : verdict === "refused" ? false : undefined;
}

export interface Measurement {
  host: ModelHost;
  model: string;
  signal: AbortSignal;
}

/** Asks a model that answers what it accepts. Flags that could not be measured are absent. */
export async function measureFlags(measurement: Measurement): Promise<MeasuredFlags> {
  const asked = Object.entries(questions).map(
    async ([name, parameters]) => [name, await accepts(measurement, parameters)] as const,
  );
  const answers = Object.fromEntries(await Promise.all(asked)) as Answers;
  const reasoning = reasoningKind(answers);
  // A forced call and thinking exclude each other, so thinking is switched off where that can be done.
  const calm = answers.disabled && reasoning !== "none" ? questions.disabled : {};
  const forced = await accepts(measurement, {
    ...calm,
    tools: [tool],
    tool_choice: { type: "tool", name: tool.name },
  });
  const flags: MeasuredFlags = {
    supports_sampling: answers.sampling,
    supports_effort: answers.effort,
    effort_max: answers.effortMax,
    reasoning,
    forced_tool_choice_supported: forced,
  };
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}

/** How many flags a whole measurement has. */
export const flagCount = 5;
