// Claude through the Messages API.

import Anthropic from "@anthropic-ai/sdk";
import { messagesApiVersion } from "../../../contract/model-offers.ts";
import { probeMessages } from "./messages-probe.ts";
import { impatientFetch, maxRetries, streamMessages } from "./messages-stream.ts";
import type { ModelPiece, ModelProvider, ModelRequest } from "./model.ts";
import { defaultPatience, type PatienceLimits } from "./patience.ts";

export interface ClaudeOptions extends Partial<PatienceLimits> {
  apiKey: string;
  baseUrl: string | null;
}

export class ClaudeModels implements ModelProvider {
  readonly id = "anthropic";
  readonly #client: Anthropic;
  readonly #limits: PatienceLimits;

  constructor({ apiKey, baseUrl, ...limits }: ClaudeOptions) {
    this.#limits = { ...defaultPatience, ...limits };
    this.#client = new Anthropic({
      apiKey,
      baseURL: baseUrl,
      maxRetries,
      timeout: this.#limits.silenceMs,
      fetch: impatientFetch,
      // What a model accepts was measured under this version.
      defaultHeaders: { "anthropic-version": messagesApiVersion },
      logLevel: "off",
    });
  }

  stream(request: ModelRequest): AsyncGenerator<ModelPiece, void, undefined> {
    return streamMessages({ client: this.#client, request, limits: this.#limits });
  }

  probe(model: string, signal: AbortSignal): Promise<void> {
    return probeMessages(this.#client, model, signal);
  }
}
