// Claude through Amazon Bedrock.

import { AnthropicBedrock } from "@anthropic-ai/bedrock-sdk";
import { createCredentialChain, fromEnv, fromNodeProviderChain } from "@aws-sdk/credential-providers";
import { bedrockApiVersion } from "../../../contract/model-offers.ts";
import { probeMessages } from "./messages-probe.ts";
import { impatientFetch, maxRetries, streamMessages } from "./messages-stream.ts";
import { ModelError, type ModelPiece, type ModelProvider, type ModelRequest } from "./model.ts";
import { defaultPatience, type PatienceLimits } from "./patience.ts";

export interface BedrockOptions extends Partial<PatienceLimits> {
  region: string;
  /** Null: that of the region. */
  url: string | null;
}

/**
 * Where AWS keeps credentials: the environment, files, the machine's role. One chain for all requests, which keeps
 * what it found for as long as that is valid.
 */
function credentials() {
  const chain = createCredentialChain(fromEnv(), fromNodeProviderChain());
  return () => {
    const found = async () => {
      try {
        return await chain();
      } catch {
        // What the chain tried, and where, is nobody's business.
        throw new ModelError("This box has no credentials for the model.");
      }
    };
    return Promise.resolve(found);
  };
}

export class BedrockModels implements ModelProvider {
  readonly id = "bedrock";
  readonly #client: AnthropicBedrock;
  readonly #limits: PatienceLimits;

  constructor({ region, url, ...limits }: BedrockOptions) {
    this.#limits = { ...defaultPatience, ...limits };
    this.#client = new AnthropicBedrock({
      awsRegion: region,
      baseURL: url ?? `https://bedrock-runtime.${region}.amazonaws.com`,
      providerChainResolver: credentials(),
      maxRetries,
      timeout: this.#limits.silenceMs,
      fetch: impatientFetch,
      // Goes into the body.
      defaultHeaders: { "anthropic-version": bedrockApiVersion },
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
