import type { Hub } from "../../live/hub.ts";
import { ClientToolError, type ClientToolCall, type ClientTools } from "./client-tools.ts";

export interface ClientCallsOptions {
  hub: Hub;
  /** Whether the account has a control socket open. */
  connected(account: string): boolean;
}

export class ClientCalls implements ClientTools {
  readonly #options: ClientCallsOptions;

  constructor(options: ClientCallsOptions) {
    this.#options = options;
  }

  call({ account }: ClientToolCall): Promise<unknown> {
    if (this.#options.connected(account)) return Promise.reject(new ClientToolError("Not yet."));
    return Promise.reject(new ClientToolError("Nobody is connected."));
  }

  tell(): void {
    throw new ClientToolError("Nobody is connected.");
  }

  answer(): boolean {
    return false;
  }
}
