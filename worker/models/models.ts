// The catalogue of this deployment.

import { modelCatalogue, type ModelRow } from "../../contract/models.ts";
import type { Env } from "../platform/env.ts";

export function catalogueOf(env: Env): ModelRow[] {
  return modelCatalogue({ anthropic: env.anthropic !== null, residencyOptIn: env.residencyOptIn });
}
