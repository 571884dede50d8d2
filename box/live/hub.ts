// What happened, for the control sockets of the account it happened to, and for nobody else.

import type { ServerEvent } from "../../contract/control-socket.ts";
import type { CallChange } from "./call.ts";

export type HubMessage =
  | { case: "event"; event: ServerEvent }
  | { case: "began"; sessionId: string }
  | { case: "ended"; sessionId: string }
  /** The session ran out; the sockets bound to it close with the matching code. */
  | { case: "expired"; sessionId: string; reason: "idle" | "max_length"; seconds: number }
  /** The call changed its language, or was paused or resumed. */
  | { case: "call"; sessionId: string; change: CallChange }
  /** The box's own voice took a turn over from the account that was chosen, for the reason given. */
  | { case: "voice"; notice: string }
  /** The persona has said goodbye and the session is about to end; `ended` follows. */
  | { case: "farewell"; sessionId: string }
  /** A newer session took its place. */
  | { case: "evicted"; sessionId: string; error: string };

type Listener = (message: HubMessage) => void;

export class Hub {
  readonly #listeners = new Map<string, Set<Listener>>();

  /** Returns what ends the subscription. */
  subscribe(account: string, listener: Listener): () => void {
    const listeners = this.#listeners.get(account) ?? new Set();
    this.#listeners.set(account, listeners);
    listeners.add(listener);
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(account) === listeners) this.#listeners.delete(account);
    };
  }

  /** Subscriptions that have not ended. */
  get size(): number {
    return [...this.#listeners.values()].reduce((sum, listeners) => sum + listeners.size, 0);
  }

  publish(account: string, event: ServerEvent): void {
    this.tell(account, { case: "event", event });
  }

  tell(account: string, message: HubMessage): void {
    // A listener may leave, or bring another, while it is told.
    const listeners = Array.from(this.#listeners.get(account) ?? []);
    for (const listener of listeners) listener(message);
  }
}
