// What the box asks of a language model, whoever makes it.

import type { ModelParameters } from "../../../contract/model-parameters.ts";

/** A tool as a model sees it. */
export interface ModelTool {
  name: string;
  description: string;
  /** JSON Schema of an object. */
  parameters: Record<string, unknown>;
}

/** A model's wish to run a tool. */
export interface ToolUse {
  id: string;
  name: string;
  arguments: Record<string, unknown>;
}

/** What a tool brought, for the model to read. */
export interface ToolResult {
  id: string;
  content: string;
  isError: boolean;
}

export type ModelMessage =
  | { role: "user"; content: string }
  /** `carry`: what the provider gave along with the tool uses and wants back unchanged, such as signed thinking. */
  | { role: "assistant"; content: string; toolUses?: ToolUse[]; carry?: unknown }
  /** The results of the tool uses of the message before, in their order. */
  | { role: "tool"; results: ToolResult[] };

export interface ModelRequest {
  /** Catalogue id. */
  model: string;
  system: string;
  /** Ends with the user's message, or with tool results. */
  messages: ModelMessage[];
  tools: ModelTool[];
  /** What the model was found to accept of the caller's settings. */
  parameters: ModelParameters;
  signal: AbortSignal;
}

/** A stretch of a reply. A reply with tool uses waits for their results in a further request. */
export type ModelPiece =
  | { case: "text"; text: string }
  | { case: "tool_use"; use: ToolUse }
  /** At most once, last: see ModelMessage. */
  | { case: "carry"; carry: unknown };

export interface ModelProvider {
  /** The host of the catalogue ids it serves: `builtin`, `anthropic`, `bedrock`. */
  readonly id: string;
  /** The reply in pieces as they are written. Throws ModelError; an abort ends it early or throws. */
  stream(request: ModelRequest): AsyncIterable<ModelPiece>;
  /** One request of one token, never repeated: whether the model answers. Rejects with ModelError. Left out where nobody is asked. */
  probe?(model: string, signal: AbortSignal): Promise<void>;
}

/** A model that failed on this turn. The message may be shown to the caller and holds nothing secret. */
export class ModelError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "ModelError";
  }
}
