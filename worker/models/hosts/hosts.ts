// Which host runs a model of the catalogue.

import { parseModelId } from "../../../contract/model-ids.ts";
import type { Env } from "../../platform/env.ts";
import { anthropicHost } from "./anthropic.ts";
import { bedrockHost } from "./bedrock.ts";
import type { ModelHost } from "./host.ts";

/** Null: the model is built in and runs nowhere else. */
export function hostOf({ anthropic, bedrock }: Env, model: string): ModelHost | null {
  const host = parseModelId(model)?.host;
  if (host === "anthropic" && anthropic) return anthropicHost(anthropic);
  return host === "bedrock" && bedrock ? bedrockHost(bedrock) : null;
}
