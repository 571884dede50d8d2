// One structured line an event, with nothing secret in it.

import { pino, type DestinationStream, type Logger } from "pino";

export type Log = Logger;

const secretFields = [
  "authorization",
  "apiKey",
  '["x-api-key"]',
  "api_key",
  "secret",
  "token",
  "session_token",
  "credential",
  "cookie",
  "password",
];

/** A JSON log on standard output, or wherever a test wants it. */
export function createLog(level: string, destination?: DestinationStream): Log {
  const options = {
    level,
    base: null,
    timestamp: pino.stdTimeFunctions.isoTime,
    redact: {
      paths: secretFields.flatMap((field) => [field, `*.${field}`]),
      censor: "[redacted]",
    },
  };
  return destination ? pino(options, destination) : pino(options);
}

/** Anything that looks like a credential of ours, wherever somebody has put it. */
const credentialLike = /vv_(?:live|tmp|ses)_\w+/gi;

/** A request's path as it may stand in the log: without its query, without credentials, and not endless. */
export function loggedPath(path: string): string {
  return (path.split("?")[0] ?? "").slice(0, 400).replace(credentialLike, "[redacted]").slice(0, 200);
}

/** The id that a caller gave its request, if it is one and no secret that took the wrong way. */
export function offeredRequestId(text: string | undefined): string | null {
  return text && /^[\w-]{8,64}$/.test(text) && text.search(credentialLike) < 0 ? text : null;
}

/** What an error says about itself, for a log line: name and message, and the stack of a defect. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: `${error.name}: ${error.message}`, stack: error.stack };
}
