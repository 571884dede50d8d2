// Structured log lines: one JSON object each, never a secret and never an address in clear.

const hidden: [pattern: RegExp, label: string][] = [
  [/vv_(?:live|tmp|ses)_[0-9A-Za-z]+/g, "[credential]"],
  [/\beyJ[\w-]+\.[\w-]+\.[\w-]*/g, "[jwt]"],
  [/([?&](?:token|session_token)=)[^&\s"]+/g, "$1[secret]"],
  [/[^\s@"'<>()]+@[^\s@"'<>()]+\.[^\s@"'<>()]+/g, "[address]"],
];

/** Takes what looks like a credential or an address out of a text: the last line of defence, not the first. */
export function scrub(text: string): string {
  return hidden.reduce((rest, [pattern, label]) => rest.replaceAll(pattern, label), text);
}

export type LogLevel = "info" | "warn" | "error";
export type LogFields = Record<string, string | number | boolean | null | undefined>;

export function log(level: LogLevel, event: string, fields: LogFields = {}): void {
  const line: LogFields = { level, event };
  for (const [name, value] of Object.entries(fields)) {
    line[name] = typeof value === "string" ? scrub(value) : value;
  }
  console[level](JSON.stringify(line));
}

/**
 * What may be said of an unexpected error. The message of a failed query holds its parameters, so only the database's
 * own complaint beneath it is kept.
 */
export function describeError(error: unknown): LogFields {
  if (!(error instanceof Error)) return { error: typeof error };
  const query = error.message.startsWith("Failed query");
  const cause = error.cause instanceof Error ? error.cause.message : "";
  return {
    error: error.name,
    detail: query ? cause : error.message,
    stack: query ? undefined : error.stack?.split("\n").slice(1, 5).join(" "),
  };
}
