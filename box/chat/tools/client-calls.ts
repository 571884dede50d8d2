// Calls of tools that run at the client: each is told to the account's control sockets and answered once, by one of them.

import { randomUUID } from "node:crypto";
import type { Hub } from "../../live/hub.ts";
import { ClientToolError, type ClientToolCall, type ClientTools } from "./client-tools.ts";
import { interruptedCall, tooLate } from "./content.ts";

/** A client that lost its socket may be back by then. */
const reconnectWithinMs = 1_000;

export interface ClientCallsOptions {
  hub: Hub;
  /** Whether the account has a control socket open. */
  connected(account: string): boolean;
  /** How long calls outlive the account's last socket. */
  reconnectWithinMs?: number;
}

interface Waiting {
  account: string;
  resolve(result: unknown): void;
  reject(error: ClientToolError): void;
}

const nobody = () => new ClientToolError("Nobody is connected who could run this tool.");

export class ClientCalls implements ClientTools {
  readonly #options: ClientCallsOptions;
  /** By an id of our own making: a model's may repeat, and a client's guess must not match. */
  readonly #waiting = new Map<string, Waiting>();

  constructor(options: ClientCallsOptions) {
    this.#options = options;
  }

  /** Calls that wait for an answer. */
  get size(): number {
    return this.#waiting.size;
  }

  async call({ timeoutMs, signal, ...call }: ClientToolCall): Promise<unknown> {
    if (signal.aborted) throw new ClientToolError(interruptedCall);
    this.#requireConnected(call.account);
    const id = randomUUID();
    const answered = Promise.withResolvers<unknown>();
    const giveUp = (message: string) => answered.reject(new ClientToolError(message));
    const stop = () => giveUp(interruptedCall);
    const timer = setTimeout(() => giveUp(tooLate(timeoutMs)), timeoutMs);
    signal.addEventListener("abort", stop, { once: true });
    this.#waiting.set(id, { account: call.account, resolve: answered.resolve, reject: answered.reject });
    try {
      this.#publish(id, call);
      return await answered.promise;
    } finally {
      this.#waiting.delete(id);
      clearTimeout(timer);
      signal.removeEventListener("abort", stop);
    }
  }

  tell(call: Omit<ClientToolCall, "timeoutMs" | "signal">): void {
    this.#requireConnected(call.account);
    this.#publish(randomUUID(), call);
  }

  answer(account: string, id: string, result: unknown): boolean {
    const waiting = this.#waiting.get(id);
    if (waiting?.account !== account) return false;
    // The first answer counts: a second one finds nobody waiting.
    this.#waiting.delete(id);
    waiting.resolve(result);
    return true;
  }

  left(account: string): void {
    const open = [...this.#waiting.values()].filter((waiting) => waiting.account === account);
    if (open.length === 0) return;
    const timer = setTimeout(() => {
      if (!this.#options.connected(account)) for (const waiting of open) waiting.reject(nobody());
    }, this.#options.reconnectWithinMs ?? reconnectWithinMs);
    // A box that ends does not wait for it.
    timer.unref();
  }

  #requireConnected(account: string): void {
    if (!this.#options.connected(account)) throw nobody();
  }

  #publish(id: string, { account, use, correlationId }: Omit<ClientToolCall, "timeoutMs" | "signal">): void {
    this.#options.hub.publish(account, {
      type: "tool_call",
      id,
      name: use.name,
      arguments: use.arguments,
      correlationId,
    });
  }
}
