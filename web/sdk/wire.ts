// What both sockets do with a frame they receive.

/** The event in a text frame, or null for anything a client has to ignore: newer boxes may say things it does not know. */
export function parseEvent<Event extends { type: string }>(
  data: unknown,
  knownTypes: ReadonlySet<string>,
): Event | null {
  if (typeof data !== "string") return null;
  let value: unknown;
  try {
    value = JSON.parse(data);
  } catch {
    return null;
  }
  if (typeof value !== "object" || value === null) return null;
  const { type } = value as { type?: unknown };
  return typeof type === "string" && knownTypes.has(type) ? (value as Event) : null;
}
