// Tools of the page's own: the persona calls them, a handler answers.

import type { EventMap } from "./events.ts";

export interface ToolCallContext {
  /** The call's id. */
  id: string;
  /** The turn it belongs to. */
  correlationId: string | null;
}

/** Gets what the model wrote, which is to be checked like any input; what it returns goes back to the model as JSON. */
export type ToolHandler = (input: unknown, context: ToolCallContext) => unknown;

/** Public part: `client.tools`. */
export class ClientTools {
  readonly #handlers = new Map<string, ToolHandler>();
  readonly #answer: (id: string, result: unknown) => void;

  constructor(answer: (id: string, result: unknown) => void) {
    this.#answer = answer;
  }

  /** Answers the calls of one tool; a later handler of the same name takes its place. Returns what removes it again. */
  register(name: string, handler: ToolHandler): () => void {
    this.#handlers.set(name, handler);
    return () => {
      if (this.#handlers.get(name) === handler) this.#handlers.delete(name);
    };
  }

  /** Runs the handler of a call, if there is one, and sends its answer. Never rejects. */
  async run(call: EventMap["TOOL_CALL"]): Promise<void> {
    const handler = this.#handlers.get(call.name);
    if (!handler) return;
    let result: unknown;
    try {
      const context = { id: call.id, correlationId: call.correlationId };
      result = (await handler(call.arguments, context)) ?? null;
    } catch (thrown) {
      // The model is told, so that the persona can say so; the page hears of it as of any uncaught error.
      result = { error: "The tool failed." };
      queueMicrotask(() => {
        throw thrown;
      });
    }
    try {
      this.#answer(call.id, result);
    } catch {
      // The session ended while the handler ran: nobody waits for the answer any more.
    }
  }
}
