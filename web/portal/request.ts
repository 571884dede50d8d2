// Requests to the portal by the person's cookie: same origin, JSON in and out, one kind of error.

import type { z } from "zod";
import { asVisavisError, errorFromResponse, VisavisError } from "../sdk/index.ts";

export interface PortalRequest {
  method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  /** Sent as JSON. */
  json?: unknown;
  signal?: AbortSignal;
  timeoutMs?: number;
  /** A 401 is an answer the caller expects, not the end of the person's session. */
  anonymous?: boolean;
}

const defaultTimeoutMs = 20_000;

const expiryListeners = new Set<() => void>();

/** Calls back whenever the portal no longer knows the person. Returns a function that removes the listener. */
export function onSessionExpired(listener: () => void): () => void {
  expiryListeners.add(listener);
  return () => {
    expiryListeners.delete(listener);
  };
}

/**
 * Resolves with a successful response, its body unread. Throws `VisavisError`: the portal's own code and sentence, or
 * `network`, `timeout` and `aborted` where no answer came.
 */
export async function fetchPortal(path: string, request: PortalRequest = {}): Promise<Response> {
  const { method = "GET", json, signal, timeoutMs = defaultTimeoutMs, anonymous = false } = request;
  const timeout = AbortSignal.timeout(timeoutMs);
  const init: RequestInit = {
    method,
    credentials: "same-origin",
    signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
  };
  if (json !== undefined) {
    init.headers = { "Content-Type": "application/json" };
    init.body = JSON.stringify(json);
  }
  let response: Response;
  try {
    response = await fetch(path, init);
  } catch (thrown) {
    throw asVisavisError(thrown);
  }
  if (response.ok) return response;
  if (response.status === 401 && !anonymous) for (const listener of expiryListeners) listener();
  throw await errorFromResponse(response);
}

function notTheContract(status: number, cause: unknown): VisavisError {
  return new VisavisError({
    code: "invalid_answer",
    message:
      "The service answered with something this page does not understand. Reloading the page may help.",
    status,
    cause,
  });
}

/** As `fetchPortal`, with the body read and checked against the contract: `invalid_answer` when it is something else. */
export async function requestPortal<Schema extends z.ZodType>(
  path: string,
  schema: Schema,
  request: PortalRequest = {},
): Promise<z.output<Schema>> {
  const response = await fetchPortal(path, request);
  let body: unknown;
  try {
    body = await response.json();
  } catch (thrown) {
    // A body that breaks off because of the time limit is late, not wrong.
    const error = asVisavisError(thrown);
    if (error.code === "timeout" || error.code === "aborted") throw error;
    throw notTheContract(response.status, thrown);
  }
  const parsed = schema.safeParse(body);
  if (!parsed.success) throw notTheContract(response.status, parsed.error);
  return parsed.data;
}
