// Claude through the Messages API.

import Anthropic, { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { messagesApiVersion } from "../../../contract/model-offers.ts";
import { ModelError, type ModelPiece, type ModelProvider, type ModelRequest } from "./model.ts";

/** A person on a call waits no longer than this for the first word, nor between two. */
const defaultSilenceMs = 20_000;
/** The SDK repeats 408, 409, 429 and 5xx answers, overload (529) among them, as `Retry-After` says. */
const maxRetries = 2;

export interface ClaudeOptions {
  apiKey: string;
  baseUrl: string | null;
  silenceMs?: number;
}

/**
 * A sentence for a person, and for the log what kind of failure it was. The upstream's own words go nowhere: they may
 * repeat what they were sent, the key and the conversation among it.
 */
function explain(error: unknown): ModelError {
  if (error instanceof ModelError) return error;
  const cause = { cause: describe(error) };
  if (error instanceof APIConnectionError) return new ModelError("The model could not be reached.", cause);
  if (error instanceof APIError) {
    const kind = error.type ?? "";
    if (error.status === 401 || error.status === 403)
      return new ModelError("The model refused this box's credentials.", cause);
    if (error.status === 404) return new ModelError("The model does not exist for this account.", cause);
    if (error.status === 429 || kind === "rate_limit_error")
      return new ModelError("The model is taking no more requests just now.", cause);
    if (error.status === 529 || kind === "overloaded_error")
      return new ModelError("The model is overloaded just now.", cause);
  }
  return new ModelError("The model failed.", cause);
}

function describe(error: unknown): Error {
  if (!(error instanceof APIError)) return new Error(error instanceof Error ? error.name : typeof error);
  const facts = [error.status, error.type, error.requestID && `request ${error.requestID}`];
  return new Error(facts.filter(Boolean).join(", ") || error.name);
}

export class ClaudeModels implements ModelProvider {
  readonly id = "anthropic";
  readonly #client: Anthropic;
  readonly #silenceMs: number;

  constructor({ apiKey, baseUrl, silenceMs = defaultSilenceMs }: ClaudeOptions) {
    this.#silenceMs = silenceMs;
    this.#client = new Anthropic({
      apiKey,
      baseURL: baseUrl,
      maxRetries,
      timeout: silenceMs,
      // What a model accepts was measured under this version.
      defaultHeaders: { "anthropic-version": messagesApiVersion },
      logLevel: "off",
    });
  }

  async *stream(request: ModelRequest): AsyncGenerator<ModelPiece, void, undefined> {
    const stalled = new AbortController();
    const signal = AbortSignal.any([request.signal, stalled.signal]);
    let timer: NodeJS.Timeout | undefined;
    const watch = () => {
      clearTimeout(timer);
      timer = setTimeout(() => stalled.abort(), this.#silenceMs);
    };
    const { effort, ...parameters } = request.parameters;
    try {
      watch();
      const events = await this.#client.messages.create(
        {
          model: request.model,
          system: request.system,
          messages: request.messages.flatMap((message) => (message.role === "tool" ? [] : [message])),
          ...parameters,
          ...(effort === undefined ? {} : { output_config: { effort } }),
          stream: true,
        },
        { signal },
      );
      let finished = false;
      for await (const event of events) {
        if (event.type === "content_block_delta" && event.delta.type === "text_delta") {
          watch();
          yield { case: "text", text: event.delta.text };
        } else if (event.type === "message_stop") {
          finished = true;
        }
      }
      // A connection that closes politely in the middle looks like an end.
      if (!finished && !signal.aborted) throw new ModelError("The model stopped in the middle of its reply.");
      if (stalled.signal.aborted) throw new ModelError("The model took too long to answer.");
    } catch (error) {
      if (request.signal.aborted) return;
      if (stalled.signal.aborted) throw new ModelError("The model took too long to answer.");
      throw explain(error);
    } finally {
      clearTimeout(timer);
      stalled.abort();
    }
  }
}
