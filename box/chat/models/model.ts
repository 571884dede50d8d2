// What the box asks of a language model, whoever makes it.

import type { ModelParameters } from "../../../contract/model-parameters.ts";
import type { Entry } from "../conversation.ts";

export interface ModelRequest {
  /** Catalogue id. */
  model: string;
  system: string;
  /** Ends with the user's message. */
  messages: Entry[];
  /** What the model was found to accept of the caller's settings. */
  parameters: ModelParameters;
  signal: AbortSignal;
}

export interface ModelProvider {
  /** The `provider` of the catalogue rows it serves. */
  readonly id: string;
  /** The reply in pieces as they are written. Throws ModelError; an abort ends it early or throws. */
  stream(request: ModelRequest): AsyncIterable<string>;
}

/** A model that failed on this turn. The message may be shown to the caller and holds nothing secret. */
export class ModelError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ModelError";
  }
}
