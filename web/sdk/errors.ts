// One error type for everything that can go wrong, whichever envelope the service answered with.

/** Codes that this client raises itself; every other code comes from the service. */
export type ClientErrorCode =
  | "aborted"
  | "already_connected"
  | "connection_failed"
  | "credential_unavailable"
  | "invalid_answer"
  | "message_blank"
  | "message_too_long"
  | "microphone_denied"
  | "microphone_insecure"
  | "microphone_lost"
  | "microphone_missing"
  | "microphone_refused"
  | "microphone_unavailable"
  | "network"
  | "no_video_element"
  | "not_connected"
  | "talk_stream_ended"
  | "timeout"
  | "unsupported_browser";

export interface VisavisErrorOptions {
  code: string;
  message: string;
  /** HTTP status, or null when no answer came. */
  status?: number | null;
  /** What `Retry-After` asked for, in seconds. */
  retryAfterSeconds?: number | null;
  cause?: unknown;
}

export class VisavisError extends Error {
  /** Branch on this, never on the message. */
  readonly code: string;
  readonly status: number | null;
  readonly retryAfterSeconds: number | null;

  constructor({ code, message, status = null, retryAfterSeconds = null, cause }: VisavisErrorOptions) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = "VisavisError";
    this.code = code;
    this.status = status;
    this.retryAfterSeconds = retryAfterSeconds;
  }
}

/** A `VisavisError` with a code of this client's own. */
export function clientError(code: ClientErrorCode, message: string, cause?: unknown): VisavisError {
  return new VisavisError({ code, message, cause });
}

function field(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? (value as Record<string, unknown>)[name] : undefined;
}

const fallbackMessages: Record<number, string> = {
  401: "The credential was not accepted.",
  404: "There is nothing at that address.",
  409: "That cannot be done in the present state.",
  413: "That is too large to be sent.",
  429: "Too many requests; please wait a moment.",
  502: "A service behind this one failed.",
  503: "The service is not available right now.",
};

export interface FailureAnswer {
  status: number;
  /** The body as text; it need not be JSON. */
  body: string;
  retryAfter?: string | null;
}

/**
 * Reads the three envelopes: `{error:{code,message}}`, `{code,message}` and `{error:"sentence"}`. A body that is none of
 * them (a proxy's HTML page, say) gives the code `http_<status>` and a sentence for that status.
 */
export function errorFromAnswer({ status, body, retryAfter }: FailureAnswer): VisavisError {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    parsed = undefined;
  }
  const nested = field(parsed, "error");
  const code = field(nested, "code") ?? field(parsed, "code");
  const message =
    typeof nested === "string" ? nested : (field(nested, "message") ?? field(parsed, "message"));
  const seconds = retryAfter ? Number(retryAfter) : Number.NaN;
  return new VisavisError({
    code: typeof code === "string" && code !== "" ? code : `http_${status}`,
    message:
      typeof message === "string" && message !== ""
        ? message
        : (fallbackMessages[status] ?? `The service answered with status ${status}.`),
    status,
    retryAfterSeconds: Number.isFinite(seconds) ? seconds : null,
  });
}

/** As `errorFromAnswer`, for a fetch response; consumes its body. */
export async function errorFromResponse(response: Response): Promise<VisavisError> {
  const body = await response.text().catch(() => "");
  return errorFromAnswer({
    status: response.status,
    body,
    retryAfter: response.headers.get("Retry-After"),
  });
}

/** Turns whatever was thrown into a `VisavisError`, telling aborts and time-outs from a network that failed. */
export function asVisavisError(thrown: unknown): VisavisError {
  if (thrown instanceof VisavisError) return thrown;
  const name = thrown instanceof Error ? thrown.name : "";
  if (name === "AbortError") return clientError("aborted", "The request was cancelled.", thrown);
  if (name === "TimeoutError") return clientError("timeout", "The service took too long to answer.", thrown);
  return clientError("network", "The service could not be reached.", thrown);
}
