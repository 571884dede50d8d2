// Structured log lines: one JSON object each, never a secret and never an address in clear.

/** No pattern can begin a long match at more than one place of a text, so each takes time in proportion to it. */
const hidden: [pattern: RegExp, label: string][] = [
  [/vv_(?:live|tmp|ses)_[0-9A-Za-z]+/g, "[credential]"],
  // A token begins with `{"` in base64url; a cut one, too.
  [/\beyJ[\w-]*(?:\.[\w-]+){0,2}/g, "[jwt]"],
  [/([?&](?:token|session_token)=)[^&\s"]+/g, "$1[secret]"],
  [/(?<![^\s@"'<>()])[^\s@"'<>()]+@[^\s@"'<>()]+\.[^\s@"'<>()]+/g, "[address]"],
];

/** What is kept of a text; a caller chooses how long some of them are. */
const keptChars = 1024;
/** What is read past that: an address is at most 256 characters long (RFC 5321, 4.5.3.1.3). */
const marginChars = 256;

const hide = (text: string) =>
  hidden.reduce((rest, [pattern, label]) => rest.replaceAll(pattern, label), text);

/**
 * Takes what looks like a credential or an address out of a text and cuts it to about 1 KiB: the last line of defence,
 * not the first. An address that reading cut in two lies within the margin, which is dropped.
 */
export function scrub(text: string): string {
  if (text.length <= keptChars + marginChars) return hide(text);
  return `${hide(text.slice(0, keptChars + marginChars)).slice(0, -marginChars)}…`;
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
