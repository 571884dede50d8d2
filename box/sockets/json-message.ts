// What a text frame says, before anybody knows whether it makes sense.

export interface JsonMessage {
  type: string;
  /** The whole object, `type` included. */
  fields: unknown;
}

export const notJson = "Messages must be JSON objects with a string field named type.";

/** Null for anything but a JSON object with a string field `type`. */
export function jsonMessage(data: string): JsonMessage | null {
  try {
    const fields: unknown = JSON.parse(data);
    if (typeof fields !== "object" || fields === null || Array.isArray(fields)) return null;
    const type = (fields as { type?: unknown }).type;
    return typeof type === "string" ? { type, fields } : null;
  } catch {
    return null;
  }
}
