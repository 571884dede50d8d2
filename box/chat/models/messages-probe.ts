// The least one can ask of a model behind the Messages API.

import type { MessageCreateParamsNonStreaming } from "@anthropic-ai/sdk/resources/messages";
import { explain } from "./messages-failure.ts";

/** As much of an SDK's client as is needed here. */
interface ProbedClient {
  messages: {
    create(
      body: MessageCreateParamsNonStreaming,
      options: { signal: AbortSignal; maxRetries: number },
    ): PromiseLike<unknown>;
  };
}

/** Rejects with ModelError when the model does not answer. */
export async function probeMessages(client: ProbedClient, model: string, signal: AbortSignal): Promise<void> {
  try {
    await client.messages.create(
      { model, max_tokens: 1, messages: [{ role: "user", content: "Say ok." }] },
      { signal, maxRetries: 0 },
    );
  } catch (error) {
    throw explain(error);
  }
}
