import type { BoxConfig } from "../../config.ts";
import type { Log } from "../../ops/log.ts";
import type { ClientTools } from "./client-tools.ts";
import { noTools, type Toolboxes } from "./toolbox.ts";

/** The tools of this box: built-in ones, and custom ones over HTTPS and the control socket. */
export function configuredToolboxes(_options: {
  config: Pick<BoxConfig, "stateDir" | "toolSigningSecret">;
  clientTools: ClientTools;
  log: Log;
}): Promise<Toolboxes> {
  return Promise.resolve(noTools);
}
