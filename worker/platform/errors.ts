// How rules say no, and how that leaves the portal.

import {
  errorBody,
  errorStatus,
  type Envelope,
  type ErrorCode,
  type Failure,
} from "../../contract/errors.ts";

/** What a rule answers: a value, or why there is none. `cause` is for the log alone. */
export type Outcome<T> =
  | { ok: true; value: T }
  | { ok: false; failure: Failure; cause?: unknown; retryAfterSeconds?: number };

export function success<T>(value: T): Outcome<T> {
  return { ok: true, value };
}

export function failure(code: ErrorCode, message: string, cause?: unknown): Outcome<never> {
  return { ok: false, failure: { code, message }, cause };
}

/** The failure of whoever asks too often. */
export function rateLimited(message: string, retryAfterSeconds: number): Outcome<never> {
  return { ok: false, failure: { code: "rate_limited", message }, retryAfterSeconds };
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
  const { failure: why, cause, retryAfterSeconds } = outcome;
  const headers: Record<string, string> =
    retryAfterSeconds === undefined ? {} : { "Retry-After": String(retryAfterSeconds) };
  throw new Refusal(why, { cause, headers });
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
