// Tools that run at the client: called over the account's control sockets, answered by a `tool_result` message.

import type { ToolUse } from "../models/model.ts";

export interface ClientToolCall {
  account: string;
  use: ToolUse;
  correlationId: string | null;
  timeoutMs: number;
  signal: AbortSignal;
}

/** What went wrong with a call; the message is for the model to read. */
export class ClientToolError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "ClientToolError";
  }
}

export interface ClientTools {
  /** The client's result. Rejects with ClientToolError: nobody is connected, nobody answered in time, or aborted. */
  call(call: ClientToolCall): Promise<unknown>;
  /** Tells the client and waits for nothing. Throws ClientToolError when nobody is connected. */
  tell(call: Omit<ClientToolCall, "timeoutMs" | "signal">): void;
  /** A client's answer. False when no call of this account waits under the id; the answer is then dropped. */
  answer(account: string, id: string, result: unknown): boolean;
  /** The account's last control socket has closed: unless one comes back soon, nobody will answer. */
  left(account: string): void;
}
