// How rules say no, and how that leaves the portal.

import {
  errorBody,
  errorStatus,
  type Envelope,
  type ErrorCode,
  type Failure,
} from "../../contract/errors.ts";

/** What a rule answers: a value, or why there is none. `cause` is for the log alone. */
export type Outcome<T> = { ok: true; value: T } | { ok: false; failure: Failure; cause?: unknown };

export function success<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function failure(code: ErrorCode, message: string, cause?: unknown): Outcome<never> {
  return { ok: false, failure: { code, message }, cause };
}

/** A failure on its way to the one edge that turns codes into answers. */
export class Refusal extends Error {
  override readonly name = "Refusal";
  readonly failure: Failure;
  readonly headers: Record<string, string>;

  constructor(failure: Failure, options: { cause?: unknown; headers?: Record<string, string> } = {}) {
    super(failure.code, { cause: options.cause });
    this.failure = failure;
    this.headers = options.headers ?? {};
  }
}

/** The value of an outcome; a failure is thrown to the edge. */
export function unwrap<T>(outcome: Outcome<T>): T {
  if (outcome.ok) return outcome.value;
  throw new Refusal(outcome.failure, { cause: outcome.cause });
}

export function refuse(code: ErrorCode, message: string, headers?: Record<string, string>): never {
  throw new Refusal({ code, message }, headers ? { headers } : {});
}

/** The answer of a failure. A refused settings value carries `ok:false` beside its error. */
export function failureResponse(
  envelope: Envelope,
  failure: Failure,
  extraHeaders: Record<string, string> = {},
): Response {
  const status = errorStatus[failure.code];
  const body = errorBody(envelope, failure);
  const headers = new Headers({ "Cache-Control": "no-store", ...extraHeaders });
  if (status === 401) headers.set("WWW-Authenticate", "Bearer");
  return Response.json(failure.code === "setting_refused" ? { ok: false, ...body } : body, {
    status,
    headers,
  });
}

/** Which envelope the failures of a path travel in. */
export function envelopeOf(path: string): Envelope {
  return path === "/v1/streaming.create_token" ? "unwrapped" : "structured";
}
