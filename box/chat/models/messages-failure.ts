// What a failed request of the Messages API tells a person, and what it tells the log.

import { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import { ModelError } from "./model.ts";

/** An `error` event in the middle of a stream, or a stream that is none. */
export class StreamError extends Error {
  readonly kind: string;
  readonly requestId: string | null;

  constructor(kind: string, requestId: string | null) {
    super(kind);
    this.name = "StreamError";
    this.kind = kind;
    this.requestId = requestId;
  }
}

/** Kinds of our own, for streams that broke without an `error` event. */
export const endedEarly = "ended_early";
export const notAStream = "not_a_stream";

const sentences: { sentence: string; statuses: number[]; kinds: string[] }[] = [
  {
    sentence: "The model refused this box's credentials.",
    statuses: [401, 403],
    kinds: ["authentication_error", "permission_error"],
  },
  { sentence: "The model does not exist for this account.", statuses: [404], kinds: ["not_found_error"] },
  {
    sentence: "The account behind the model cannot pay for more requests.",
    statuses: [402],
    kinds: ["billing_error"],
  },
  {
    sentence: "The conversation is too long for the model.",
    statuses: [413],
    kinds: ["request_too_large"],
  },
  {
    sentence: "The model is taking no more requests just now.",
    statuses: [429],
    kinds: ["rate_limit_error", "throttlingException"],
  },
  {
    sentence: "The model is overloaded just now.",
    statuses: [503, 529],
    kinds: ["overloaded_error", "serviceUnavailableException"],
  },
  {
    sentence: "The model took too long to answer.",
    statuses: [408, 504],
    kinds: ["timeout_error", "modelTimeoutException"],
  },
  { sentence: "The model stopped in the middle of its reply.", statuses: [], kinds: [endedEarly] },
  { sentence: "The model's answer could not be understood.", statuses: [], kinds: [notAStream] },
];

/** Failures in a stream that may be gone the next time. */
const passingKinds = new Set([
  "api_error",
  "overloaded_error",
  "rate_limit_error",
  "timeout_error",
  "internalServerException",
  "modelStreamErrorException",
  "modelTimeoutException",
  "serviceUnavailableException",
  "throttlingException",
  endedEarly,
]);

/** Whether a stream that broke is worth asking for again. Refused requests are repeated by the SDK, not here. */
export function isPassing(error: unknown): boolean {
  return error instanceof StreamError && passingKinds.has(error.kind);
}

/**
 * A sentence for a person, and for the log what kind of failure it was. The upstream's own words go nowhere: they may
 * repeat what they were sent, the key and the conversation among it.
 */
export function explain(error: unknown): ModelError {
  for (let told = error; told instanceof Error; told = told.cause)
    if (told instanceof ModelError) return told;
  const cause = { cause: describe(error) };
  if (error instanceof APIConnectionError) return new ModelError("The model could not be reached.", cause);
  const status = error instanceof APIError ? error.status : undefined;
  const kind = error instanceof APIError ? error.type : error instanceof StreamError ? error.kind : null;
  const known = sentences.find(
    ({ statuses, kinds }) =>
      (status !== undefined && statuses.includes(status)) || (kind !== null && kinds.includes(kind)),
  );
  return new ModelError(known?.sentence ?? "The model failed.", cause);
}

/** Names only: a server that is none of ours may put anything anywhere. */
const isName = (text: unknown): text is string => typeof text === "string" && /^[\w-]{1,64}$/.test(text);

function describe(error: unknown): Error {
  if (error instanceof StreamError) return facts([error.kind, null, error.requestId]);
  if (error instanceof APIError) {
    const { status, type, requestID } = error;
    return facts([status === undefined ? error.constructor.name : String(status), type, requestID]);
  }
  return new Error(error instanceof Error ? error.constructor.name : typeof error);
}

function facts([what, kind, requestId]: (string | null | undefined)[]): Error {
  const parts = [what, kind].filter(isName);
  if (isName(requestId)) parts.push(`request ${requestId}`);
  return new Error(parts.join(", ") || "unknown");
}
