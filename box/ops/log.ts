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

/** What an error says about itself, for a log line: name and message, and the stack of a defect. */
export function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { error: String(error) };
  return { error: `${error.name}: ${error.message}`, stack: error.stack };
}
