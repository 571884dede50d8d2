// Where an avatar's archive is in storage. Strangers see the keys of a published one in the URLs of its clips, so the
// folder is a random id of its own.

import { sql, type SQL } from "drizzle-orm";

const folder = "avatars/";

export const archivePrefix = (archiveId: string): string => `${folder}${archiveId}/`;

/** As {@link archivePrefix}, for the ids in a column. */
export const archivePrefixOf = (archiveId: SQL): SQL => sql`${folder} || ${archiveId} || '/'`;
