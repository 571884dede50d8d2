import type { BoxConfig } from "../../config.ts";
import type { Log } from "../../ops/log.ts";
import type { ClientTools } from "./client-tools.ts";
import { EndpointCalls } from "./endpoint-calls.ts";
import { PersonaToolboxes } from "./persona-toolbox.ts";
import { keptSigningSecret } from "./signature.ts";
import type { Toolboxes } from "./toolbox.ts";

/** The tools of this box: built-in ones, and custom ones over HTTPS and the control socket. */
export async function configuredToolboxes({
  config,
  clientTools,
  log,
}: {
  config: Pick<BoxConfig, "stateDir" | "toolSigningSecret">;
  clientTools: ClientTools;
  log: Log;
}): Promise<Toolboxes> {
  const signingSecret = config.toolSigningSecret ?? (await keptSigningSecret(config.stateDir));
  return new PersonaToolboxes({ endpoints: new EndpointCalls({ signingSecret }), clientTools, log });
}
