// Where a session's files are in storage.

import { sql, type SQL } from "drizzle-orm";

const folder = "sessions/";

/** Everything stored of a session is under this prefix, which also holds what is noted for its removal. */
export const sessionPrefix = (sessionId: string): string => `${folder}${sessionId}/`;

/** As {@link sessionPrefix}, for the ids in a column. */
export const sessionPrefixOf = (sessionId: SQL): SQL => sql`${folder} || ${sessionId} || '/'`;

export const recordingKey = (sessionId: string): string => `${sessionPrefix(sessionId)}recording.mp4`;
export const consentKey = (sessionId: string): string => `${sessionPrefix(sessionId)}consent.json`;
