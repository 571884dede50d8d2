// Which models the hosts offer: the one list to edit when a model comes or goes.
//
// Sources: the Messages API's ids are those of the `Model` type of @anthropic-ai/sdk 1.11. Bedrock's ids, and which of
// them are cross-region profiles, are those of its model cards (AWS, "Foundation models at a glance", November 2026).
// Ids without a profile's prefix are left out where Bedrock serves the model through profiles alone.

/**
 * The version of the Messages API that models are probed under, and asked under: what one accepts depends on it. From
 * 2026-10-21 on the API takes no sampling parameters.
 */
export const messagesApiVersion = "2026-10-21";
/** Its counterpart in the body of a Bedrock request. */
export const bedrockApiVersion = "bedrock-2023-05-31";

/** Ids at the Messages API of Anthropic. */
export const anthropicModelIds = ["claude-opus-5-5", "claude-sonnet-5-5", "claude-haiku-5-5"] as const;

/** Ids at the runtime API of Amazon Bedrock. */
export const bedrockModelIds = [
  "au.anthropic.claude-opus-5-5",
  "global.anthropic.claude-opus-5-5",
  "global.anthropic.claude-sonnet-5-5",
  "au.anthropic.claude-haiku-5-5",
  "global.anthropic.claude-haiku-5-5",
  "au.anthropic.claude-sonnet-5",
  "global.anthropic.claude-sonnet-5",
  "au.anthropic.claude-sonnet-4-5-20250929-v1:0",
  "global.anthropic.claude-sonnet-4-5-20250929-v1:0",
  "anthropic.claude-sonnet-4-5-20250929-v1:0",
  "au.anthropic.claude-haiku-4-5-20251001-v1:0",
  "global.anthropic.claude-haiku-4-5-20251001-v1:0",
  "anthropic.claude-haiku-4-5-20251001-v1:0",
] as const;

/** What sets the families of a maker apart. */
export const claudeFamilies: Readonly<Record<string, { tradeOff: string; tiers: ("quality" | "fast")[] }>> = {
  opus: { tradeOff: "most capable", tiers: ["quality"] },
  sonnet: { tradeOff: "balanced", tiers: ["quality"] },
  haiku: { tradeOff: "fastest", tiers: ["fast"] },
};
