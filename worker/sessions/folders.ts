// Where a session's files are in storage.

import { ownerFolder } from "../platform/storage.ts";

/** Everything stored of a session is under this prefix, which also holds what is noted for its removal. */
export async function sessionPrefix(account: string, sessionId: string): Promise<string> {
  return `sessions/${await ownerFolder(account)}/${sessionId}/`;
}

export const recordingKey = (prefix: string): string => `${prefix}recording.mp4`;
export const consentKey = (prefix: string): string => `${prefix}consent.json`;
